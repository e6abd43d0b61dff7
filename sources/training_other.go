//go:build !linux

package sources

// trainingFinder finds none: only Linux says where the output of a process goes.
func trainingFinder() func() []trainingRun { return func() []trainingRun { return nil } }
