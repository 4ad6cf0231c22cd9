import ConnectionEngine
import NIOCore
import RedisClient
import Testing

/// Plays random histories of a link and checks after each step what holds for all of them.
@Suite struct RedisLinkSimulationTests {
    typealias Effect = RedisLinkMachine.Effect

    private struct World {
        var run = LinkRun()
        var random: SeededRandom
        var nextID: UInt64 = 0
        var open: Set<UInt64> = []
        var connected: [RedisLane: Bool] = [:]
        var isComplete = false
        var problems: [String] = []

        init(seed: UInt64) {
            random = SeededRandom(seed: seed)
            run = LinkRun(seed: seed)
            note(run.start())
        }

        mutating func note(_ effects: [Effect]) {
            for effect in effects {
                switch effect {
                case .answer(let id, _): if open.remove(id) == nil { problems.append("\(id) was answered twice") }
                case .dial(let lane, _):
                    if connected[lane] != nil { problems.append("\(lane) was dialled twice") }
                    connected[lane] = false
                case .cut(let lane, _, _), .retire(let lane, _, _):
                    if connected[lane] == nil { problems.append("\(lane) is cut, but not there") }
                case .deliver(.restored):
                    if isComplete { problems.append("restored without a loss") }
                    isComplete = true
                case .deliver(.interrupted):
                    if !isComplete { problems.append("interrupted twice") }
                    isComplete = false
                case .deliver, .submit: break
                }
            }
        }

        mutating func step() {
            nextID += 1
            switch Int.random(in: 0..<12, using: &random) {
            case 0...2:
                open.insert(nextID)
                note(run.get(nextID, within: .milliseconds(Int.random(in: 0...4_000, using: &random))))
            case 3:
                open.insert(nextID)
                let script = RedisScript(name: "s", text: "return \(Int.random(in: 0...2, using: &random))")
                note(run.call(nextID, .script(script, keys: [], arguments: [])))
            case 4:
                open.insert(nextID)
                note(run.subscribe(nextID, ["c\(nextID % 5)"], within: .milliseconds(Int.random(in: 0...4_000, using: &random))))
            case 5...7: answer()
            case 8:
                let before = isComplete
                let effects = run.push("c\(nextID % 5)", "x")
                if !before, effects.isEmpty == false, connected[.messages] != true {
                    problems.append("a message without a connection")
                }
                note(effects)
            case 9:
                let lane = RedisLane.allCases.randomElement(using: &random) ?? .commands
                if connected[lane] == false, Bool.random(using: &random) {
                    connected[lane] = true
                    note(run.becomeReady(lane))
                } else if connected[lane] != nil {
                    connected[lane] = nil
                    note(run.lose(lane))
                }
            default: note(run.wait(.milliseconds(Int.random(in: 1...800, using: &random))))
            }
            for (lane, _, command) in run.sent where connected[lane] != true {
                problems.append("\(command) was sent without a connection")
            }
        }

        private mutating func answer() {
            let lane = RedisLane.allCases.randomElement(using: &random) ?? .commands
            guard connected[lane] == true else { return }
            let lines = ["BUSY b", "READONLY r", "NOSCRIPT n", "OOM o", "ERR e"]
            let line = lane == .commands && Int.random(in: 0..<3, using: &random) == 0 ? lines.randomElement(using: &random) : nil
            if let line {
                note(run.answer(lane, .failure(.refused(RedisErrorReply(line)))))
            } else {
                note(run.answer(lane, .success(.null)))
            }
        }

        /// Ends the connections that are left.
        mutating func close() {
            note(run.close())
            for lane in RedisLane.allCases where connected[lane] != nil {
                connected[lane] = nil
                note(run.lose(lane, .closed))
            }
            if !open.isEmpty { problems.append("never answered: \(open.sorted())") }
            if run.machine.alarm != nil { problems.append("an alarm is left") }
        }
    }

    @Test func `RC-29 Whatever happens, every call is answered once, and every loss of messages is told once`() {
        for seed in 1...300 as ClosedRange<UInt64> {
            var world = World(seed: seed)
            for _ in 0..<300 where world.problems.isEmpty { world.step() }
            world.close()
            if let problem = world.problems.first {
                Issue.record("seed \(seed): \(problem)")
                return
            }
        }
    }
}
