"""Simplified Chinese: what ``compare`` prints. The words are those of the vendors' pages (docs/terms.zh.md)."""

from __future__ import annotations

TEXTS = {
    # the table
    "TARGET": "目标",
    "VERDICT": "结论",
    "WHAT IT BECOMES": "转换结果",
    "exact": "无损",
    "rounded": "取整",
    "filled": "补全",
    "dropped": "舍弃",
    "refused": "拒绝",
    "rounded?": "取整？",
    "filled?": "补全？",
    "dropped?": "舍弃？",
    "... lines {n} to {m}, which all targets share": "…… 第 {n} 至 {m} 行，各目标相同",
    # what fits no grid
    "{field} {asked} does not fit: {why}; {becomes}": "{field} {asked} 不合要求：{why}；{becomes}",
    "it goes in steps of {n} {unit} on each card": "每张卡须为 {n} {unit} 的整数倍",
    "it goes in steps of {n} {unit}": "须为 {n} {unit} 的整数倍",
    "the least is {n} {unit} on each card": "每张卡至少 {n} {unit}",
    "the least is {n} {unit}": "至少 {n} {unit}",
    "full compute of a card comes with all of its memory": "占满一张卡的算力时，显存也归其独占",
    "from one card upwards the form takes whole numbers of cards, in total": (
        "达到一张卡后，表单中的总算力只能填整数张卡"
    ),
    "given {n}": "已改为 {n}",
    "the next it takes is {n}": "可用的下一个值是 {n}",
    "it becomes whole cards": "改为整卡",
    "write {field}: {n}, or pass --round up": "请写 {field}: {n}，或使用 --round up",
    "omit {field}, or pass --round up": "请去掉 {field}，或使用 --round up",
    "{n} MiB are asked of each card, a card of the profile has {m}": "每张卡申请 {n} MiB，而 profile 中一张卡只有 {m}",
    "{n} cards are asked, a node of the profile has {m}": "申请 {n} 张卡，而 profile 中一个节点只有 {m} 张",
    "ask for at most {n} on each card, or leave memoryMiB out": "每张卡最多申请 {n}，或者不写 memoryMiB",
    "ask for fewer cards, and more of each": "减少卡数，每张卡多申请一些",
    # what is open
    "{field} is open: {why}; filled with {n}": "未给出 {field}：{why}；已补为 {n}",
    "{field} is open: {why}": "未给出 {field}：{why}",
    "add {field} to the share, or pass --fill {asked} (percent of each card)": (
        "请在份额中写明 {field}，或使用 --fill {asked}（按每张卡的百分比）"
    ),
    "add {field} to the share, or pass --fill {asked} (MiB on each card)": (
        "请在份额中写明 {field}，或使用 --fill {asked}（每张卡的 MiB 数）"
    ),
    "aliyun.com/gpu-core.percentage goes with aliyun.com/gpu-mem": (
        "aliyun.com/gpu-core.percentage 须与 aliyun.com/gpu-mem 同时申请"
    ),
    "{key} is set together with the other key of mGPU": "{key} 须与另一个 mGPU 参数同时设置",
    "an ordinary qGPU pod asks for compute and memory": "普通 qGPU Pod 须同时申请算力和显存",
    "an offline pod asks for qgpu-core-greedy": "离线 Pod 须申请 qgpu-core-greedy",
    "an offline pod asks for qgpu-memory": "离线 Pod 须申请 qgpu-memory",
    "an online pod asks for qgpu-memory": "在线 Pod 须申请 qgpu-memory",
    "mGPU asks for compute wherever it asks for memory": "使用 mGPU 时，申请显存就须同时申请算力",
    "the form asks for compute": "表单要求填写算力",
    "a part of a card needs qgpu-memory": "申请一张卡的一部分须写 qgpu-memory",
    "a part of a card needs mgpu-memory": "申请一张卡的一部分须写 mgpu-memory",
    "a part of a card needs GPU memory": "申请一张卡的一部分须填写显存",
    # what has no place
    "{field} {asked} has no place: {why}": "{field} {asked} 无法表达：{why}",
    "{target} has no key for it": "{target} 没有对应的键",
    "remove {field} from the share, or pass --drop {field}": "请从份额中去掉 {field}，或使用 --drop {field}",
    "several cards share their compute, only memory is divided": "多卡共享时算力不切分，只切分显存",
    "online pods of TKE ask for memory alone and compete for compute": (
        "TKE 的在线 Pod 只申请显存，算力由各 Pod 争抢"
    ),
    "open-source gpushare counts memory only": "开源 gpushare 只按显存分配",
    "write memoryMiB, or name a profile that gives cards.memoryMiB (--profile): only the size of a card turns "
    "percent into MiB": (
        "请改写 memoryMiB，或用 --profile 指定写有 cards.memoryMiB 的集群配置：知道卡的显存大小才能把百分比换算为 MiB"
    ),
    "memoryPercent {n} becomes memoryMiB {m}, since a card of the profile has {size} MiB: on other cards it is "
    "another part": (
        "memoryPercent {n} 换算为 memoryMiB {m}：集群配置中每张卡有 {size} MiB，换一种卡，占比就不同"
    ),
    # what is refused
    "{qos} whole cards cannot be said: {why}": "无法表达{qos}任务使用整卡：{why}",
    "whole cards are not supported: {why}": "不支持整卡：{why}",
    "online": "在线",
    "offline": "离线",
    "ACK has no colocation of GPUs": "ACK 没有 GPU 在离线混部",
    "colocation at TKE shares one card": "TKE 的在离线混部只在一张卡上共享",
    "priority at HAMi is between shares of one card": "HAMi 的优先级只在同一张卡的各份额之间有效",
    "reclaimed-mgpu-core is a part of one card": "reclaimed-mgpu-core 只表示一张卡的一部分",
    "a job on mGPU takes {n} to {m} % of a card": "mGPU 作业可用一张卡的 {n} 到 {m} %",
    "ask for whole cards without qos": "申请整卡时请去掉 qos",
    "ask for a part of one card with memoryMiB, or remove qos from the share": (
        "请写 memoryMiB，只申请一张卡的一部分；或从份额中去掉 qos"
    ),
    "ask for a part of a card, or remove qos from the share": "请只申请一张卡的一部分，或从份额中去掉 qos",
    "ask for cores below {n} with memoryMiB, or drop qos": "请写小于 {n} 的 cores 并写明 memoryMiB，或去掉 qos",
    "ask for at most {n} %, or run the job on a GPU queue, without mGPU": (
        "请最多申请 {n} %，或改在未开启 mGPU 的 GPU 队列上运行"
    ),
    "{n} cards: a pod of a job on mGPU gets a part of one card": (
        "申请了 {n} 张卡：mGPU 作业的每个 Pod 只能使用一张卡的一部分"
    ),
    "ask for one card, and for more pods in the job": "请只申请一张卡，并增加作业的 Pod 数",
    "memoryMiB {n} is more than mGPU can use of a card ({m} MiB)": (
        "memoryMiB {n} 超过了 mGPU 在一张卡上可用的显存（{m} MiB）"
    ),
    "ask for at most {n}": "请最多申请 {n}",
    "a container shares at most {n} cards at TKE, {m} are asked": "TKE 的一个容器最多共享 {n} 张卡，这里申请了 {m} 张",
    "ask for fewer cards, or for whole cards": "请减少卡数，或申请整卡",
    "two cards at {n} % each cannot be said: qgpu-core {m} means one card": (
        "无法表达两张卡各 {n} %：qgpu-core {m} 表示一张卡"
    ),
    "ask for more than {n} % of each card, or for one card": "请让每张卡超过 {n} %，或只申请一张卡",
    "ask for one card": "请只申请一张卡",
    "ask for fewer": "请减少卡数",
    "offline work at TKE cannot share several cards": "TKE 的离线任务不支持多卡共享",
    "online work at TKE cannot share several cards": "TKE 的在线任务不支持多卡共享",
    "offline work cannot share several cards": "离线任务不支持多卡共享",
    "{n} cards in a pod that shares several: the most for a container is {m}": (
        "多卡共享的 Pod 申请了 {n} 张卡：一个容器最多 {m} 张"
    ),
    "{n} cards: an instance shares {m} at most": "申请了 {n} 张卡：一个实例最多共享 {m} 张",
    "{n} cards must sit on one node, and a node has {m}": "{n} 张卡须在同一节点上，而一个节点只有 {m} 张",
    "ask for at most {n} cards": "请最多申请 {n} 张卡",
    "{n} units on each card, and a card of {size} MiB has {m}": "每张卡要 {n} 个单位，而 {size} MiB 的卡只有 {m} 个",
    "ask for at most {n} MiB on each card, or omit it for whole cards": (
        "每张卡请最多申请 {n} MiB，或去掉显存以申请整卡"
    ),
    "open-source gpushare gives a pod a part of one card": "开源 gpushare 只能给 Pod 分配一张卡的一部分",
    "a unit of {n} MiB is for nodes of mode share, this share goes to {mode}": (
        "{n} MiB 的单位只用于 share 模式的节点，而该份额要调度到 {mode}"
    ),
    "ask for memory alone with isolation: share in the profile, or set memoryUnitMiB: {n}": (
        "请只申请显存并在集群配置中写 isolation: share，或设置 memoryUnitMiB: {n}"
    ),
    # what is doubtful
    "colocation does not support native-burst-share (best-effort)": (
        "在离线混部不支持争抢模式 native-burst-share（best-effort）"
    ),
    "use policy: burst-share, which the vendor recommends for colocation": (
        "请使用 policy: burst-share，厂商推荐在混部场景使用"
    ),
    "several shared cards without policy best-effort (native-burst-share): the vendor's scheduler code refuses "
    "it, its console offers it": (
        "多卡共享而策略不是 best-effort（native-burst-share）：厂商的调度器代码会拒绝，控制台却可以选择"
    ),
    "several shared cards without policy best-effort (争抢模式): the form offers it, the vendor's scheduler code "
    "refuses it": ("多卡共享而策略不是 best-effort（争抢模式）：表单可以选择，厂商的调度器代码却会拒绝"),
    "check it on the cluster, or use policy: best-effort": "请在集群上验证，或使用 policy: best-effort",
    "exactly {n} MiB: one page of the vendor says greater than {n}": "恰好 {n} MiB：厂商的一篇文档要求大于 {n}",
    "use {n}": "请写 {n}",
    "{n} MiB on each card is above the documented {m}": "每张卡 {n} MiB，超过文档中的上限 {m}",
    "newer components may allow it: check on the cluster": "较新的组件可能支持，请在集群上验证",
    "{n} % of each card is off the {m} % step of one card; the vendor's pages disagree on whether it holds for "
    "two": ("每张卡 {n} % 不是单卡步长 {m} % 的整数倍；两张卡时是否适用，厂商的文档说法不一"),
    "use a multiple of {n} for cores": "cores 请写 {n} 的整数倍",
    "two shared cards need the qGPU add-on {needed} or later, the profile says {version}": (
        "两卡共享需要 {needed} 或更高版本的 qGPU 组件，集群配置中是 {version}"
    ),
    "upgrade the add-on, or ask for one card": "请升级组件，或只申请一张卡",
    "nodes without the label qgpu-schedule-policy are best-effort too, but the pod goes to labelled nodes only": (
        "没有 qgpu-schedule-policy 标签的节点同样是 best-effort，但该 Pod 只会调度到有标签的节点"
    ),
    "label the node pool {key}": "请为节点池设置标签 {key}",
    "label a node pool {key}": "请为一个节点池设置标签 {key}",
    "the policy of the nodes does not divide compute among online pods, they always compete": (
        "节点的策略不会在在线 Pod 之间切分算力，它们始终争抢"
    ),
    "the nodes of the profile are {mode}, the pod asks for {asked} and would find none": (
        "集群配置中的节点是 {mode}，该 Pod 申请 {asked}，没有可用的节点"
    ),
    # keys of the table: last, since hints begin with these words too
    "label {key}": "标签 {key}",
    "annotation {key}": "注解 {key}",
    # explain
    "The sections below are in English.": "以下各节为英文。",
}
"""English to Chinese; what the places are, see ``gpuxlate.locale.Templates``."""
