package diagnose

// settingsTexts holds the sentences about settings: actions that the help does not list by
// themselves, since it shows them together with the opposite direction.
var settingsTexts = map[Key]text{
	"action.chart.previous": {"the curve before", "上一条曲线"},
	"action.window.wider":   {"show a longer part of the run", "显示更长的时段"},
	"action.previous":       {"previous line found", "上一个匹配行"},
	"action.time.later":     {"move through the past towards now", "在过去中向现在移动"},
	"action.time.far.later": {"the same by ten epochs", "同上，每次十轮"},
}
