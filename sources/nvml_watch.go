package sources

import (
	"errors"
	"strconv"
	"time"

	"yolotop/parse"
)

// errNVMLAllLost is when there is nothing to watch any more.
var errNVMLAllLost = errors.New("the driver has lost all devices")

// nvmlXidMax bounds the errors that are taken in one pass, for a driver that always has
// another one.
const nvmlXidMax = 64

// nvmlWatch is the driver and its devices, as the worker sees them.
type nvmlWatch struct {
	alive    func() // called before each call into the driver
	program  func(pid int) (name, user string)
	interval time.Duration

	driver  nvmlDriver
	version string
	units   []*nvmlUnit
	passes  int
	denied  []string       // found since the last pass
	faults  []parse.Record // found while the driver was opened
}

// nvmlPass is what one pass has found.
type nvmlPass struct {
	samples []parse.Record
	faults  []parse.Record
	denied  []string // names of what this user may not see, found now
	left    int      // devices that are not lost
}

// open opens the driver and finds its devices. A device that cannot be had does not
// keep the others from being watched.
func (w *nvmlWatch) open(o NVMLOptions) error {
	w.close()
	driver, err := o.open(o.Library)
	if err != nil {
		return err
	}
	w.driver = driver
	w.alive()
	version, err := driver.version()
	if err == nil {
		w.version = printable(version)
	}
	w.alive()
	n, err := driver.count()
	if err != nil {
		return err
	}
	var refused error
	for i := range n {
		w.alive()
		d, err := driver.device(i)
		if err != nil {
			refused = err
			w.refuse(i, err)
			continue
		}
		w.units = append(w.units, newNVMLUnit(w, d, i))
		w.alive()
		_ = driver.watch(i, d) // without it the device's Xid errors are not told, no more
	}
	switch {
	case len(w.units) > 0:
		return nil
	case refused != nil:
		return refused
	}
	return errNVMLNoDevice
}

// refuse notes why a device cannot be watched.
func (w *nvmlWatch) refuse(index int, err error) {
	switch {
	case lost(err):
		var code nvmlCode
		_ = errors.As(err, &code)
		w.faults = append(w.faults, &parse.GPUFault{Index: index, Text: faultText(code)})
	case errors.Is(err, nvmlNoPermission):
		w.denied = append(w.denied, "GPU "+strconv.Itoa(index))
	default:
		w.faults = append(w.faults, &parse.GPUFault{Index: index, Text: "the driver does not give access: " + printable(err.Error())})
	}
}

// close gives the driver back.
func (w *nvmlWatch) close() {
	if w.driver != nil {
		w.driver.close()
	}
	w.driver, w.units, w.faults, w.denied = nil, nil, nil, nil
}

// pass asks every device that is not lost.
func (w *nvmlWatch) pass() nvmlPass {
	got := nvmlPass{faults: w.faults}
	for _, u := range w.units {
		if u.fault != 0 {
			continue
		}
		g := u.sample(w.passes)
		if u.fault != 0 { // half a sample is none
			got.faults = append(got.faults, &parse.GPUFault{Index: u.index, Text: faultText(u.fault)})
			continue
		}
		got.left++
		got.samples = append(got.samples, g)
		for _, part := range u.divide(w.passes) {
			// The device says itself when it is lost. An instance is only gone.
			if g := part.sample(w.passes); part.fault == 0 {
				got.samples = append(got.samples, g)
			}
		}
	}
	got.faults = append(got.faults, w.xids()...)
	got.denied = w.denied
	w.denied, w.faults = nil, nil
	w.passes++
	return got
}

// xids takes the errors that the driver has reported.
func (w *nvmlWatch) xids() []parse.Record {
	w.alive()
	xids, err := w.driver.xids()
	if err != nil {
		return nil
	}
	var out []parse.Record
	for _, x := range xids[:min(len(xids), nvmlXidMax)] {
		out = append(out, &parse.GPUFault{Index: x.index, Xid: x.xid, Text: xidText(x.xid)})
	}
	return out
}

// lost reports whether an error is about a device that will not answer again.
func lost(err error) bool {
	return errors.Is(err, nvmlGPULost) || errors.Is(err, nvmlResetRequired)
}

// programOf is the name of a process, as the system has it, and that of the user who runs
// it; empty if not known.
func programOf(pid int) (name, user string) {
	p, err := ReadProcess(pid)
	if err != nil {
		return "", ""
	}
	return printable(p.Name), printable(p.User)
}
