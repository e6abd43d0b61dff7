package parse

import (
	"bytes"
	"regexp"
)

// YOLOv7 calls itself YOLOR, of which it comes: "YOLOR 🚀 v0.1-128-ga207844 torch
// 1.13.1+cu117 CUDA:0 (NVIDIA GeForce RTX 3090, 24267.5625MB)". YOLOR and PyTorch_YOLOv4
// print "Using torch 1.7.1 CUDA:0 (GeForce RTX 2080 Ti, 11019MB)".
var (
	yolorBanner = regexp.MustCompile(`YOLOR\s+(?:🚀\s*)?(v?\d\S*)\s+torch[- ](\S+)\s+(.*)$`)
	usingTorch  = regexp.MustCompile(`^\s*Using torch (\d\S*)\s+((?:CUDA|CPU).*)$`)
)

// namespaceArgs finds the arguments in "Namespace(adam=False, ..., epochs=3, ...)".
var namespaceArgs = regexp.MustCompile(`^\s*Namespace\((.*\bepochs=.*)\)\s*$`)

// yolov7 is YOLOv7, YOLOR and PyTorch_YOLOv4 (WongKinYiu). Their header has a column of the
// sum of the losses, "total", and their memory is reserved, in 1e9 bytes.
func yolov7() dialect {
	return dialect{
		name: "yolov7",
		claims: func(line []byte) bool {
			switch {
			case bytes.Contains(line, []byte("YOLOR")):
				return yolorBanner.Match(line)
			case bytes.Contains(line, []byte("Using torch ")):
				return usingTorch.Match(line)
			}
			return false
		},
		start: func() reader {
			banner := func(line string) []string {
				if m := yolorBanner.FindStringSubmatch(line); m != nil {
					return m
				}
				if m := usingTorch.FindStringSubmatch(line); m != nil {
					return []string{m[0], "", m[1], m[2]}
				}
				return nil
			}
			return descendant("yolov7", banner, namespaceArgs)
		},
	}
}

// yolov9Banner reads "YOLO 🚀 v0.1-104-g5b1ea9a Python-3.10.13 torch-2.1.2+cu118 CUDA:0 (...)".
var yolov9Banner = regexp.MustCompile(`YOLO\s+(?:🚀\s*)?(v\d\S*)\s+Python-\S+\s+torch-(\S+)\s+(.*)$`)

// yolov9Args finds the arguments behind the name of the script.
var yolov9Args = regexp.MustCompile(`^\s*(?:panoptic[/\\]|segment[/\\])?train(?:_dual|_triple)?:\s*(.*\b(?:weights|cfg)=.*\bepochs=.*)$`)

// yolov9 is YOLOv9 (WongKinYiu), which prints as YOLOv5 7.0 does.
func yolov9() dialect {
	return dialect{
		name: "yolov9",
		claims: func(line []byte) bool {
			switch {
			case bytes.Contains(line, []byte("YOLO ")):
				return yolov9Banner.Match(line)
			case bytes.Contains(line, []byte("train_dual: ")), bytes.Contains(line, []byte("train_triple: ")):
				return yolov9Args.Match(line)
			}
			return false
		},
		start: func() reader {
			return descendant("yolov9", yolov9Banner.FindStringSubmatch, yolov9Args)
		},
	}
}

// descendant reads a trainer that prints as YOLOv5 does, counts epochs from 0 and divides
// bytes by 1e9.
func descendant(trainer string, banner func(string) []string, args *regexp.Regexp) *yoloReader {
	r := &yoloReader{trainer: trainer, banner: banner, args: args, introduce: func(*Banner) {}, columns: func(*Columns) {}}
	r.table.unit = 1e9
	return r
}
