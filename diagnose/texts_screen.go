package diagnose

// screenTexts holds the sentences of the screen and of plain output.
var screenTexts = map[Key]text{
	"verdict.finished": {"finished %[1]s epochs in %[2]s", "%[2]s内完成 %[1]s 轮"},
}
