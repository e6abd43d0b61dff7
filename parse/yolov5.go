package parse

import (
	"bytes"
	"regexp"
	"slices"
)

// yolov5Banner reads "YOLOv5 🚀 v7.0-162-gc3e4e94 Python-3.8.16 torch-1.12.1+cu113
// CUDA:0 (...)"; version 5 printed no Python and "torch 1.8.1+cu102". YOLOv3 of
// the same authors prints the same.
var yolov5Banner = regexp.MustCompile(`YOLOv[35]\s+(?:🚀\s*)?(\S+)\s+(?:Python-\S+\s+)?torch[- ](\S+)\s+(.*)$`)

// yolov5Args finds the arguments behind "train: ", "segment/train: " or
// "classify/train: ".
var yolov5Args = regexp.MustCompile(`^\s*(?:classify[/\\]|segment[/\\])?train:\s*(.*\b(?:weights|model|cfg)=.*\bepochs=.*)$`)

func yolov5() dialect {
	return dialect{
		name: "yolov5",
		claims: func(line []byte) bool {
			if bytes.Contains(line, []byte("YOLOv5")) || bytes.Contains(line, []byte("YOLOv3")) {
				return yolov5Banner.Match(line)
			}
			if yolov5Args.Match(line) {
				return true
			}
			if !beginsEpoch(line) {
				return false
			}
			c := (&table{}).header(cleanText(line))
			return c != nil && yolov5Columns(c)
		},
		start: func() reader {
			r := &yoloReader{trainer: "yolov5", banner: yolov5Banner.FindStringSubmatch, args: yolov5Args, introduce: func(*Banner) {}}
			r.table.unit = 1e9 // to this day, with the newer bar too
			// Detection and segmentation count epochs from 0, classification
			// from 1; only the header tells them apart.
			r.columns = func(c *Columns) {
				r.table.base = 0
				if slices.Contains(c.Losses, "train_loss") {
					r.table.base = 1
				}
			}
			return r
		},
	}
}

// yolov5Columns reports whether a header is one of YOLOv5's: objectness is a loss
// that later trainers do not have.
func yolov5Columns(c *Columns) bool {
	return slices.Contains(c.Losses, "obj") || slices.Contains(c.Losses, "obj_loss") || slices.Contains(c.Losses, "train_loss")
}
