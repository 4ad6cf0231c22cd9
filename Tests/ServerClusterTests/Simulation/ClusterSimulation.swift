import ClusterTestSupport
import NIOCore
import ServerCluster
import ServerValues

/// Three processes and a model of Redis, driven by a seed through everything that can go wrong, and judged by what clients were told.
struct ClusterSimulation {
    private var random: SimulatedRandom
    private(set) var redis = ModelRedis()
    private(set) var nodes: [ModelNode] = []
    private var numbers = 0
    private var ids: UInt64 = 0
    private var now = MonotonicInstant(nanoseconds: 1_000_000_000)
    /// What became of each text.
    private var texts: [String: ModelNode.Outcome] = [:]
    private var textIDs: [UInt64: String] = [:]
    /// Every text that any log ever had, by its number, so that repetitions show.
    private(set) var said: [String: Int] = [:]
    /// In which order texts were said for the first time, in whichever log.
    private var order: [String: Int] = [:]
    private(set) var problems: [String] = []
    /// Whether Redis may lose writes that it had confirmed.
    private let losesWrites: Bool
    /// Queries that wait, with the highest number of a text that was confirmed before.
    private var asked: [UInt64: Int] = [:]
    /// The highest number of a text that was confirmed, and of one that was kept.
    private var confirmed = 0
    private var highest = 0
    private(set) var answered = 0
    private(set) var faults = 0
    private(set) var done = 0
    /// Whether leaders hand over to nodes that are chosen at random.
    private let handsOver: Bool
    private(set) var handOvers = 0

    init(seed: UInt64, losesWrites: Bool, handsOver: Bool = false) {
        self.handsOver = handsOver
        random = SimulatedRandom(seed: seed)
        self.losesWrites = losesWrites
        for _ in 0..<3 { begin() }
    }

    private mutating func begin() {
        numbers += 1
        nodes.append(ModelNode(numbers, at: now))
        connect(nodes.count - 1)
    }

    private mutating func run(_ index: Int, _ body: (inout ClusterCore, inout [ClusterEffect]) -> Void) {
        let outcomes = nodes[index].run(now, body)
        for (id, answer) in nodes[index].queried { judge(answer, of: id) }
        nodes[index].queried = []
        for (id, outcome) in outcomes {
            guard let text = textIDs.removeValue(forKey: id) else { continue }
            texts[text] = outcome
            guard outcome == .done else { continue }
            done += 1
            confirmed = max(confirmed, said[text] ?? 0)
        }
    }

    private mutating func connect(_ index: Int) {
        nodes[index].isConnected = true
        let now = now
        run(index) { $0.restored(at: now, into: &$1) }
    }

    private mutating func cut(_ index: Int) {
        guard nodes[index].isConnected else { return }
        nodes[index].isConnected = false
        nodes[index].messages = []
        // What was on its way may or may not have reached Redis; nobody hears the answers.
        let carried = random.next(below: nodes[index].operations.count + 1)
        for operation in nodes[index].operations.prefix(carried) { _ = carryOut(operation, of: index) }
        let operations = nodes[index].operations
        nodes[index].operations = []
        // Every call is answered once: those whose answers were on their way have an unknown outcome.
        nodes[index].answers = nodes[index].answers.compactMap { answer in
            switch answer {
            case .committed: .committed(.unknown)
            case .prepared, .readyToHandOver: answer
            default: nil
            }
        }
        let now = now
        run(index) { core, _ in core.interrupted(at: now) }
        for operation in operations { fail(operation, of: index) }
    }

    private mutating func fail(_ operation: ModelNode.Operation, of index: Int) {
        switch operation {
        case .elect(.resign, _, _), .resign, .publish: break
        case .prepareToResign(let generation): nodes[index].operations.append(.prepareToResign(generation: generation))
        case .elect: nodes[index].answers.append(.elected(.failed))
        case .count: nodes[index].answers.append(.counted(nil))
        case .readPosition, .readLog: nodes[index].answers.append(.readFailed)
        case .commit: nodes[index].answers.append(.committed(.unknown))
        case .answer: break
        case .prepare(let generation): nodes[index].operations.append(.prepare(generation: generation))
        }
    }

    private mutating func carryOut(_ operation: ModelNode.Operation, of index: Int) -> ModelNode.Answer? {
        let node = nodes[index].core.node
        defer { spread() }
        switch operation {
        case .elect(let mode, let generation, let seen):
            let outcome = redis.elect(mode, node, generation: generation, seen: seen)
            return mode == .resign ? nil : .elected(outcome)
        case .resign(let successor, let generation):
            _ = redis.elect(.resign, node, generation: generation, seen: 0, successor: successor)
            handOvers += 1
            return nil
        case .prepareToResign(let generation): return .readyToHandOver(generation: generation)
        case .count(let leader):
            return .counted(nodes.contains { $0.core.node == leader && $0.isConnected } ? 1 : 0)
        case .readPosition:
            return .located(redis.kept.record?.asRead)
        case .readLog(let position): return .log(redis.log(after: position))
        case .publish(let requests, let leader):
            redis.published.append((.requests(leader.incarnation), .requests(requests)))
            return nil
        case .commit(let commit):
            let outcome = redis.commit(commit)
            if outcome == .kept { note(commit.batch) }
            return .committed(outcome)
        case .answer(let answers, let node):
            return redis.answer(answers, to: node) ? nil : .fenced(generation: answers.generation)
        case .prepare(let generation):
            let known = redis.kept.collections.texts(of: ModelNode.nodesKey).keys.compactMap { field -> ClusterNode? in
                UInt64(field.split(separator: "/").last ?? "", radix: 16).map { ClusterNode(name: "node", incarnation: $0) }
            }
            return .prepared(
                generation: generation, ModelLeader(redis.kept), known,
                hasLost: redis.kept.collections.answer(.value(ModelNode.lossKey)) != .nothing)
        }
    }

    private mutating func note(_ batch: ClusterBatch) {
        for case .fact(_, _, let fact) in batch.items {
            let parts = String(buffer: fact).split(separator: ":")
            guard parts[0] == "said", let number = Int(parts[1]) else { continue }
            let text = String(parts[2])
            if let before = said[text], before != number, !losesWrites { problems.append("\(text) was said twice") }
            said[text] = number
            highest = max(highest, number)
            if order[text] == nil { order[text] = order.count }
        }
    }

    private mutating func spread() {
        for (channel, message) in redis.published {
            for index in nodes.indices where nodes[index].isConnected {
                switch channel {
                case .log: nodes[index].messages.append(message)
                case .requests(let incarnation):
                    if nodes[index].incarnation == incarnation { nodes[index].messages.append(message) }
                case .answers(let incarnation):
                    if nodes[index].incarnation == incarnation { nodes[index].messages.append(message) }
                }
            }
        }
        redis.published = []
    }

    // MARK: Steps

    mutating func step(isCalm: Bool = false) {
        if handsOver, !isCalm, random.next(below: 40) == 0 { handOver() }
        switch random.next(below: isCalm ? 90 : 100) {
        case 0..<30: advance()
        case 30..<70: for _ in 0..<4 { move(random.next(below: nodes.count)) }
        case 70..<82: if !isCalm { say() }
        case 82..<84: if !isCalm { request(random.next(below: nodes.count), "ask", isRepeatable: true, limit: nil) }
        case 84..<90: if !isCalm { hold() }
        default: fault()
        }
    }

    /// A leader begins to hand over to any node, also to one that sleeps or has no connection.
    private mutating func handOver() {
        let successor = nodes[random.next(below: nodes.count)].core.node
        for index in nodes.indices where !nodes[index].isFrozen {
            guard case .leader(let generation) = nodes[index].core.role else { continue }
            run(index) { $0.handOver(to: successor, generation: generation, into: &$1) }
        }
    }

    private mutating func advance() {
        let milliseconds = random.next(below: 200)
        now = now.advanced(by: .milliseconds(milliseconds))
        redis.time += milliseconds
        let now = now
        for index in nodes.indices where !nodes[index].isFrozen { run(index) { $0.tick(at: now, into: &$1) } }
    }

    /// Something of a node moves: an operation reaches Redis, an answer or a message the node.
    private mutating func move(_ index: Int) {
        let now = now
        if nodes[index].isConnected, !nodes[index].operations.isEmpty, random.next(below: 3) > 0 {
            let operation = nodes[index].operations.removeFirst()
            if let answer = carryOut(operation, of: index) { nodes[index].answers.append(answer) }
        }
        guard !nodes[index].isFrozen else { return }
        if !nodes[index].answers.isEmpty, random.next(below: 3) > 0 {
            let answer = nodes[index].answers.removeFirst()
            if case .prepared(_, let service, _, _) = answer { nodes[index].service = service }
            run(index) { core, effects in
                switch answer {
                case .elected(let outcome): core.elected(outcome, at: now, into: &effects)
                case .counted(let count): core.counted(count, at: now, into: &effects)
                case .located(let record): core.withMember(at: now, &effects) { $0.located(record, at: now, into: &$1) }
                case .log(let batches): core.withMember(at: now, &effects) { $0.read(batches, isAll: true, at: now, into: &$1) }
                case .readFailed: core.withMember(at: now, &effects) { machine, _ in machine.readFailed() }
                case .committed(let outcome): core.withLeader(&effects) { $0.committed(outcome, at: now, into: &$1) }
                case .fenced(let generation):
                    if core.leader?.generation == generation { core.withLeader(&effects) { $0.fenced(into: &$1) } }
                case .readyToHandOver(let generation):
                    core.readyToHandOver(generation: generation, at: now, into: &effects)
                case .prepared(let generation, _, let known, let hasLost):
                    core.prepared(generation: generation, nodes: known, hasLost: hasLost, at: now, into: &effects)
                }
            }
        }
        while !nodes[index].messages.isEmpty, random.next(below: 4) > 0 {
            let message = nodes[index].messages.removeFirst()
            run(index) { core, effects in
                switch message {
                case .batch(let batch): core.withMember(at: now, &effects) { $0.receive(batch, at: now, into: &$1) }
                case .resigned: core.resigned(at: now, into: &effects)
                case .requests(let requests): core.withLeader(&effects) { $0.receive(requests, at: now, into: &$1) }
                case .answers(let answers): core.withMember(at: now, &effects) { $0.receive(answers, at: now, into: &$1) }
                }
            }
        }
    }

    private mutating func request(_ index: Int, _ text: String, isRepeatable: Bool, limit: Duration?) {
        ids += 1
        if text == "ask" { asked[ids] = confirmed }
        nodes[index].requests[ids] = text
        let (id, now) = (ids, now)
        if text.hasPrefix("say:") { textIDs[id] = String(text.dropFirst(4)) }
        run(index) { core, effects in
            core.withMember(at: now, &effects) { member, effects in
                member.request(
                    id, of: .pusher, ByteBuffer(string: text), deadline: limit.map { now.advanced(by: $0) },
                    isRepeatable: isRepeatable, isQuery: text == "ask", at: now, into: &effects)
                member.flush(at: now, into: &effects)
            }
        }
    }

    private mutating func say() {
        let text = "t\(ids + 1)"
        texts[text] = .waiting
        let isRepeatable = random.next(below: 2) == 0
        request(random.next(below: nodes.count), "say:" + text, isRepeatable: isRepeatable, limit: .seconds(3))
    }

    private mutating func hold() {
        let index = random.next(below: nodes.count)
        if let key = nodes[index].holdings.sorted().first, random.next(below: 2) == 0 {
            nodes[index].holdings.remove(key)
            request(index, "drop:" + key, isRepeatable: true, limit: nil)
        } else {
            request(index, "hold:k\(ids + 1)", isRepeatable: true, limit: nil)
        }
    }

    private mutating func fault() {
        let index = random.next(below: nodes.count)
        switch random.next(below: 40) {
        case 0..<12:
            faults += 1
            cut(index)
        case 12..<30: if !nodes[index].isConnected { connect(index) }
        case 30..<32:
            faults += 1
            nodes[index].isFrozen.toggle()
        case 32..<35:
            faults += 1
            kill(index)
        case 35..<37:
            faults += 1
            let isEmptied = losesWrites && random.next(below: 4) == 0
            for index in nodes.indices { cut(index) }
            if isEmptied { redis.loseAll() } else if losesWrites { redis.lose(random.next(below: 6)) }
        default: nodes[index].isFrozen = false
        }
    }

    private mutating func kill(_ index: Int) {
        cut(index)
        for (id, text) in textIDs where nodes[index].requests[id] != nil {
            texts[text] = .unknown
            textIDs[id] = nil
        }
        for id in nodes[index].requests.keys { asked[id] = nil }
        judge(nodes[index])
        nodes.remove(at: index)
        begin()
    }

    // MARK: The verdict

    /// Ends all faults, lets everything settle, and judges.
    mutating func finish() {
        for _ in 0..<3_000 {
            for index in nodes.indices {
                nodes[index].isFrozen = false
                if !nodes[index].isConnected { connect(index) }
            }
            step(isCalm: true)
        }
        for node in nodes { judge(node) }
        judgeForks()
        if !asked.isEmpty { problems.append("\(asked.count) queries were never answered") }
        let leaders = nodes.filter { $0.core.role != .follower }
        guard leaders.count == 1, let leader = leaders.first, let service = leader.service else {
            return problems.append("\(leaders.count) leaders in the end")
        }
        let wanted = nodes.reduce(into: [UInt64: Set<String>]()) { $0[$1.incarnation] = $1.holdings }.filter { !$0.value.isEmpty }
        if service.holdings.filter({ !$0.value.isEmpty }) != wanted {
            problems.append("the leader has other holdings than the nodes")
        }
        let kept = ModelLeader(redis.kept).holdings.filter { !$0.value.isEmpty }
        if kept != wanted { problems.append("Redis keeps other holdings than the nodes have") }
        for (text, outcome) in texts {
            switch outcome {
            case .waiting: problems.append("\(text) was never answered")
            case .done: if said[text] == nil { problems.append("\(text) was confirmed and never said") }
            case .unavailable: if said[text] != nil { problems.append("\(text) was refused and said") }
            case .unknown: break
            }
        }
        if nodes.contains(where: { $0.core.member.phase != .current }) {
            problems.append("a node does not follow the log in the end")
        }
    }

    /// A query's answer knows of every text that was confirmed before it was asked, and of none that was not kept (rule CR-40).
    private mutating func judge(_ answer: String, of id: UInt64) {
        guard let least = asked.removeValue(forKey: id) else { return problems.append("a query was answered twice") }
        let count = answer.split(separator: ":").first.flatMap { Int($0) } ?? -1
        if answer != ModelLeader.answer(count) { problems.append("an answer is damaged: \(answer)") }
        if count > highest { problems.append("an answer knows of \(count) texts, and \(highest) were kept") }
        if !losesWrites, count < least {
            problems.append("an answer knows of \(count) texts, and \(least) were confirmed before")
        }
        answered += 1
    }

    /// Between two losses a node is told every text, each once, in order.
    private mutating func judge(_ node: ModelNode) {
        if !losesWrites, node.missingLogs > 0 { problems.append("node \(node.incarnation) found a hole in a log that has none") }
        var last: Int?
        for entry in node.told {
            guard let entry else {
                last = nil
                continue
            }
            if let last, entry.number != last + 1 {
                problems.append("node \(node.incarnation) was told \(entry.number) after \(last)")
            }
            last = entry.number
        }
    }

    /// A text that any node knows, and that was confirmed between the first and the last that another one was told since its last loss, was
    /// told to that one, too: also when Redis has lost the text since, and given its number to another one.
    private mutating func judgeForks() {
        let known = Set(nodes.flatMap { $0.told.compactMap { $0?.text } })
        for node in nodes {
            let span = node.told.reversed().prefix { $0 != nil }
            let told = Set(span.compactMap { $0?.text })
            let places = told.compactMap { order[$0] }
            guard let first = places.min(), let last = places.max() else { continue }
            for text in known.subtracting(told).sorted() where texts[text] == .done {
                guard let place = order[text], place > first, place < last else { continue }
                problems.append("node \(node.incarnation) was never told \(text), which was confirmed")
            }
        }
    }
}

/// The same numbers for the same seed (SplitMix64).
struct SimulatedRandom {
    private var state: UInt64

    init(seed: UInt64) { state = seed }

    mutating func next(below bound: Int) -> Int {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return Int((mixed ^ (mixed >> 31)) % UInt64(max(bound, 1)))
    }
}
