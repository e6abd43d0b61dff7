package diagnose

// storyTexts are the sentences of what became of a run.
var storyTexts = map[Key]text{
	"pane.story":           {"What happened", "经过"},
	"story.of":             {"epoch %[1]s of %[2]s", "第 %[1]s 轮（共 %[2]s 轮）"},
	"story.reached":        {"%[1]s reached %[2]s.", "%[1]s 训练到%[2]s。"},
	"story.reached.in":     {"%[1]s reached %[2]s in %[3]s.", "%[1]s 在%[3]s内训练到%[2]s。"},
	"story.finished":       {"%[1]s finished with %[2]s.", "%[1]s 已完成，%[2]s。"},
	"story.finished.in":    {"%[1]s finished with %[2]s after %[3]s.", "%[1]s 用时%[3]s完成，%[2]s。"},
	"story.early":          {"%[1]s stopped early at %[2]s: patience ran out.", "%[1]s 在%[2]s提前停止：耐心已用尽。"},
	"story.early.in":       {"%[1]s stopped early at %[2]s after %[3]s: patience ran out.", "%[1]s 用时%[3]s，在%[2]s提前停止：耐心已用尽。"},
	"story.best":           {"The best epoch is %[1]s.", "最佳为第 %[1]s 轮。"},
	"story.best.metric":    {"The best epoch is %[1]s with %[2]s %[3]s.", "最佳为第 %[1]s 轮，%[2]s %[3]s。"},
	"story.died":           {"It died: %[1]s.", "训练终止：%[1]s。"},
	"story.because":        {"The cause: %[1]s.", "原因：%[1]s。"},
	"story.forsaken":       {"Its process ended at %[1]s and did not say why; it may have been killed.", "其进程在%[1]s结束，没有说明原因，可能被杀死。"},
	"story.killed":         {"It was interrupted in %[1]s.", "它在%[1]s被中断。"},
	"story.failed":         {"It died in %[1]s: %[2]s.", "它在%[1]s终止：%[2]s。"},
	"story.failed.unknown": {"It died in %[1]s and did not say why.", "它在%[1]s终止，没有说明原因。"},
	"story.foretold":       {"That was foretold: %[2]s, from %[1]s on.", "事先有预警：自%[1]s起提示 %[2]s。"},
	"story.foretold.when":  {"That was foretold: %[2]s, from %[1]s on, for epoch %[3]s to %[4]s.", "事先有预警：自%[1]s起提示 %[2]s，预计第 %[3]s 到 %[4]s 轮。"},
	"story.unforetold":     {"Nothing in the log foretold it.", "日志中事先没有任何预兆。"},
	"story.trouble":        {"Worth a look: %[1]s.", "值得注意：%[1]s。"},
	"story.do":             {"What to do first: %[1]s.", "首先：%[1]s。"},
	"story.resume":         {"To resume: %[1]s", "继续训练：%[1]s"},
	"story.unsaved":        {"Nothing was saved yet: it did not come to the end of an epoch.", "尚未保存任何内容：没有一轮训练完成。"},
	"story.resume.from":    {"To resume after epoch %[1]s: %[2]s", "从第 %[1]s 轮之后继续：%[2]s"},
}
