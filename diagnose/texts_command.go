package diagnose

// commandTexts holds the sentences of check and of plain output.
var commandTexts = map[Key]text{
	"check.unknown":   {"nothing in it looks like the output of a trainer that yolotop knows", "其中没有 yolotop 认识的训练器输出"},
	"check.empty":     {"it is empty", "它是空的"},
	"check.why":       {"why", "原因"},
	"check.limits":    {"not known", "无法得知"},
	"check.withdrawn": {"no longer", "已消失"},
	"check.trainer":   {"%[1]s %[2]s", "%[1]s %[2]s"},
	"check.batch":     {"batch %[1]s", "批大小 %[1]s"},
	"check.epoch":     {"epoch %[1]s of %[2]s", "第 %[1]s 轮，共 %[2]s 轮"},
	"check.epoch1":    {"epoch %[1]s", "第 %[1]s 轮"},
	"check.memory":    {"held %[1]s at the peak, of %[2]s", "显存峰值占用 %[1]s，共 %[2]s"},
	"check.memory1":   {"held %[1]s at the peak", "显存峰值占用 %[1]s"},
	"check.rate":      {"%[1]s it/s", "%[1]s it/s"},
	"check.images":    {"%[1]s messages about damaged images", "%[1]s 条图片损坏的消息"},

	"status.running":       {"running", "运行中"},
	"status.finished":      {"finished", "已完成"},
	"status.stopped_early": {"stopped early: no improvement", "提前停止：不再提升"},
	"status.failed":        {"failed", "失败"},
	"status.killed":        {"killed", "被终止"},
	"status.unknown":       {"the input ends here", "输入到此为止"},

	"level.info":     {"info", "提示"},
	"level.warning":  {"warning", "警告"},
	"level.critical": {"critical", "严重"},

	"plain.ended":   {"%[1]s: ended", "%[1]s：已结束"},
	"plain.failed":  {"%[1]s: %[2]s", "%[1]s：%[2]s"},
	"plain.nothing": {"no training seen", "没有看到训练"},
}
