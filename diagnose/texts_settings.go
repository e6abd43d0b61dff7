package diagnose

// settingsTexts holds the sentences about settings: actions that the help does not list by
// themselves, since it shows them together with the opposite direction.
var settingsTexts = map[Key]text{
	"action.pane.previous":  {"give the focus to the pane before", "切换到上一个窗格"},
	"action.time.later":     {"move through the past towards now", "在过去中向现在移动"},
	"action.time.far.later": {"the same by ten epochs", "同上，每次十轮"},
}
