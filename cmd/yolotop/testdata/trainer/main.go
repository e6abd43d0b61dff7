// Command trainer prints like a training and reports what was done to it: signals, writes that
// failed, and the sum of all that it wrote.
package main

import (
	"bufio"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"os"
	"os/signal"
	"strconv"
	"strings"
	"sync"
	"syscall"
)

// report is what the trainer says of itself at its end.
type report struct {
	Sum      string   `json:"sum"` // SHA-256 of all that was written
	Bytes    int      `json:"bytes"`
	Signals  []string `json:"signals"`
	Errors   []string `json:"errors"`   // of writes
	Terminal string   `json:"terminal"` // size of the terminal that it prints to, empty if that is none
}

// The files that it is told by: commands come through the first one, a line each, and the report
// goes to the second.
//
//	rows N   N rows of a training
//	bulk N   N lines of text
//	wait     until a signal comes
//	exit N   the report, and an end with this status
func main() {
	gate, out := os.Getenv("TRAINER_GATE"), os.Getenv("TRAINER_REPORT")
	var (
		mu sync.Mutex
		r  report
	)
	signals := make(chan os.Signal, 16)
	signal.Notify(signals, syscall.SIGINT, syscall.SIGTERM, syscall.SIGHUP, syscall.SIGQUIT, syscall.SIGPIPE, syscall.SIGCONT, syscall.SIGUSR1)
	came := make(chan struct{}, 16)
	go func() {
		for s := range signals {
			mu.Lock()
			r.Signals = append(r.Signals, s.String())
			mu.Unlock()
			came <- struct{}{}
		}
	}()
	sum := sha256.New()
	write := func(s string) {
		n, err := os.Stdout.WriteString(s)
		sum.Write([]byte(s[:n]))
		r.Bytes += n
		if err != nil && len(r.Errors) < 3 {
			r.Errors = append(r.Errors, err.Error())
		}
	}
	r.Terminal = terminalSize()
	write(head)
	commands, err := os.Open(gate)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(9)
	}
	epoch, line := 0, 0
	for lines := bufio.NewScanner(commands); lines.Scan(); {
		word, number, _ := strings.Cut(lines.Text(), " ")
		n, _ := strconv.Atoi(number)
		switch word {
		case "rows":
			for range n {
				epoch++
				write(fmt.Sprintf(header+row, epoch))
			}
		case "bulk":
			for range n {
				line++
				write(fmt.Sprintf("line %d ........................................................\n", line))
			}
		case "wait":
			<-came
			write("a signal came\n")
		case "exit":
			write("the trainer's last words\n")
			mu.Lock()
			r.Sum = hex.EncodeToString(sum.Sum(nil))
			data, _ := json.Marshal(r)
			mu.Unlock()
			if err := os.WriteFile(out, data, 0o600); err != nil {
				os.Exit(9)
			}
			os.Exit(n)
		}
	}
	os.Exit(8)
}

const head = "Ultralytics 8.4.82 🚀 Python-3.11.9 torch-2.8.0+cu128 CUDA:0 (NVIDIA GeForce RTX 3090, 24268MiB)\n" +
	"engine/trainer: amp=True, batch=16, data=x.yaml, epochs=10000, imgsz=640, mode=train, model=yolo11s.pt, task=detect, workers=8\n" +
	"Logging results to runs/detect/train\nStarting training for 10000 epochs...\n"

const (
	header = "\n      Epoch    GPU_mem   box_loss   cls_loss   dfl_loss  Instances       Size\n"
	row    = "  %5d/10000      15.1G      1.111      0.744      1.022        120        640: 100%% ━━━━━━━━━━━━ 100/100 8.0it/s 12.5s\n" +
		"                 Class     Images  Instances      Box(P          R      mAP50  mAP50-95): 100%% ━━━━━━━━━━━━ 10/10 8.0it/s 1.2s\n" +
		"                   all        100        900        0.7        0.6       0.61       0.42\n"
)
