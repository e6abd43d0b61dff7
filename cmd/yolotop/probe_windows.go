package main

// drawsWide cannot ask a Windows console, which draws box lines one cell wide.
func drawsWide() bool { return false }
