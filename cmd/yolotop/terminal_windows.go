package main

// controllingTerminal is where keys come from while standard input is a pipe.
const controllingTerminal = "CONIN$"
