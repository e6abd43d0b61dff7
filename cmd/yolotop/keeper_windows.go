package main

// keepPipe is nil: here the viewer reads the pipe itself.
var keepPipe func(env environment, o keepOptions) error
