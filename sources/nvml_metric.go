package sources

import (
	"errors"

	"yolotop/parse"
)

// nvmlMetric is one thing that a device is asked for.
type nvmlMetric uint8

const (
	nvmlMemoryNew nvmlMetric = iota
	nvmlMemoryOld
	nvmlBusySince
	nvmlRates
	nvmlComputing
	nvmlDrawing
	nvmlPower
	nvmlPowerLimit
	nvmlTemperature
	nvmlFan
	nvmlClock
	nvmlMaxClock
	nvmlReasons
	nvmlLinkGeneration
	nvmlLinkWidth
	nvmlReceived
	nvmlSent
	nvmlECC
	nvmlEncoder
	nvmlDecoder
	nvmlInstances
	nvmlMetrics // how many there are
)

// String is the metric's name for people.
func (m nvmlMetric) String() string {
	return [nvmlMetrics]string{
		"memory", "memory", "utilization", "utilization", "processes", "processes", "power", "power limit",
		"temperature", "fan", "clock", "clock", "throttling", "PCIe link", "PCIe link", "PCIe traffic", "PCIe traffic",
		"ECC errors", "encoder", "decoder", "MIG instances",
	}[m]
}

// nvmlBackOffMax is how many passes are left out at most before a number is asked again
// that failed for no reason the driver can give.
const nvmlBackOffMax = 64

// nvmlAnswer is what is known of how a device answers one question.
type nvmlAnswer struct {
	never  parse.Presence // why it is not asked any more; NotAsked if it is
	failed int            // unknown errors in a row
	wait   int            // pass in which it is asked again
}

// ask asks a device for m, unless it is known to have no answer, and tells whether get
// has succeeded or why it has not. A device that is found to be lost is not asked again
// for anything.
func (u *nvmlUnit) ask(m nvmlMetric, get func() error) parse.Presence {
	a := &u.answers[m]
	switch {
	case u.fault != 0:
		return parse.Unavailable
	case a.never != parse.NotAsked:
		return a.never
	case u.pass < a.wait:
		return parse.Unavailable
	}
	u.watch.alive()
	err := get()
	var code nvmlCode
	switch {
	case err == nil:
		*a = nvmlAnswer{}
		return parse.Present
	case !errors.As(err, &code):
		return parse.Unavailable
	}
	switch code {
	case nvmlGPULost, nvmlResetRequired:
		u.fault = code
	case nvmlNotSupported, nvmlFunctionNotFound, nvmlStructVersion, nvmlInvalidArgument:
		a.never = parse.NotSupported
		return a.never
	case nvmlNoPermission:
		a.never = parse.NoPermission
		u.watch.denied = append(u.watch.denied, m.String())
		return a.never
	case nvmlNotFound, nvmlInsufficientSize, nvmlTimeout, nvmlNoData, nvmlNotReady:
		// Nothing is wrong; there may be an answer in the next pass.
	default:
		a.failed++
		a.wait = u.pass + min(1<<min(a.failed, 30), nvmlBackOffMax)
	}
	return parse.Unavailable
}

// number asks for one number and gives it times scale.
func (u *nvmlUnit) number(m nvmlMetric, scale float64, get func() (float64, error)) parse.Number {
	var v float64
	state := u.ask(m, func() (err error) {
		v, err = get()
		return err
	})
	return nvmlNumber(state, v*scale)
}

// nvmlNumber is v if the state is that it is there.
func nvmlNumber(state parse.Presence, v float64) parse.Number {
	if state != parse.Present {
		return parse.Number{State: state}
	}
	return parse.Have(v)
}
