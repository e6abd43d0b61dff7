package main

// keepPipe is nil: here the viewer reads the pipe itself.
var keepPipe func(env environment, o keepOptions) error

// startTraining and holdTraining are nil: here yolotop starts no trainings.
var (
	startTraining func(env environment, o runOptions) error
	holdTraining  func(env environment, hook string, command []string) error
)
