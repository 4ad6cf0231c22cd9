import ChatProtocol
import Foundation
import NIOConcurrencyHelpers
import NIOCore
import NIOPosix

/// The clients' side of the parts.
struct Load: Sendable {
    let target: Target
    let tokens: [String]
    private let group = MultiThreadedEventLoopGroup.singleton

    private func draft(_ number: Int, from user: Int, to receiver: String) -> ChatMessageDraft {
        ChatMessageDraft(
            clientID: "c-\(user)-\(number)-\(ProcessInfo.processInfo.processIdentifier)", conversation: .direct, to: receiver,
            type: "RC:TxtMsg", content: Array(#"{"content":"\#(String(repeating: "x", count: 64))"}"#.utf8))
    }

    // MARK: Latency

    /// From the send of one session to the arrival at another one, one message at a time.
    func latency(_ count: Int) async throws {
        let clock = ContinuousClock()
        let arrived = NIOLockedValueBox<CheckedContinuation<ContinuousClock.Instant, Never>?>(nil)
        let receiver = try await ChatClient.connect(to: target, token: tokens[1], device: "r", on: group.next()) { _, frame in
            guard case .event = frame else { return }
            let now = clock.now
            arrived.withLockedValue { waiting in
                defer { waiting = nil }
                return waiting
            }?.resume(returning: now)
        }
        let sender = try await ChatClient.connect(to: target, token: tokens[0], device: "s", on: group.next()) { _, _ in }
        guard let loop = sender.context?.eventLoop else { return }
        var latencies: [Double] = []
        for number in 0..<(count + 1_000) {
            let sent = NIOLockedValueBox(clock.now)
            let frame = ChatClientFrame.request(.send(draft(number, from: 0, to: "u1")), number: UInt64(number + 1))
            let received = await withCheckedContinuation { continuation in
                arrived.withLockedValue { $0 = continuation }
                loop.execute {
                    sent.withLockedValue { $0 = clock.now }
                    sender.send(frame)
                    sender.flush()
                }
            }
            // The first ones warm everything up.
            if number >= 1_000 { latencies.append((received - sent.withLockedValue { $0 }).milliseconds) }
        }
        report("send to received", latencies)
        withExtendedLifetime(receiver) {}
    }

    // MARK: Acknowledged sends

    private struct Sender: Sendable {
        var next: UInt64 = 0
        var sent: [UInt64: ContinuousClock.Instant] = [:]
        var latencies: [Double] = []
        var acknowledged = 0
    }

    /// Each sender keeps a number of messages under way. Receivers are connected and acknowledge what they get.
    func acked(seconds: Int, senders: Int, window: Int) async throws {
        let clock = ContinuousClock()
        let isRunning = NIOLockedValueBox(true)
        var states: [NIOLockedValueBox<Sender>] = []
        var clients: [ChatClient] = []
        let received = NIOLockedValueBox(0)
        for index in 0..<senders {
            let user = senders + index
            clients.append(
                try await ChatClient.connect(to: target, token: tokens[user], device: "d", on: group.next()) { _, frame in
                    if case .event = frame { received.withLockedValue { $0 += 1 } }
                })
        }
        let began = NIOLockedValueBox(clock.now)
        for index in 0..<senders {
            let state = NIOLockedValueBox(Sender())
            states.append(state)
            let load = self
            @Sendable func sendOne(_ client: ChatClient) {
                let number = state.withLockedValue { state in
                    state.next += 1
                    state.sent[state.next] = clock.now
                    return state.next
                }
                let draft = load.draft(Int(number), from: index, to: "u\(senders + index)")
                client.send(.request(.send(draft), number: number))
            }
            let client = try await ChatClient.connect(to: target, token: tokens[index], device: "d", on: group.next()) {
                client, frame in
                switch frame {
                case .answer(let number, _):
                    state.withLockedValue { state in
                        if let sent = state.sent.removeValue(forKey: number) {
                            state.latencies.append((clock.now - sent).milliseconds)
                        }
                        state.acknowledged += 1
                    }
                    guard isRunning.withLockedValue({ $0 }) else { return }
                    sendOne(client)
                    client.flush()
                case .refusal(_, let refusal): print("refused: \(refusal)")
                default: break
                }
            }
            clients.append(client)
            client.context?.eventLoop.execute {
                for _ in 0..<window { sendOne(client) }
                client.flush()
            }
        }
        began.withLockedValue { $0 = clock.now }
        let before = states.reduce(0) { $0 + $1.withLockedValue { $0.acknowledged } }
        try await Task.sleep(for: .seconds(seconds))
        let count = states.reduce(0) { $0 + $1.withLockedValue { $0.acknowledged } } - before
        let elapsed = (clock.now - began.withLockedValue { $0 }).milliseconds / 1_000
        isRunning.withLockedValue { $0 = false }
        let rate = Int(Double(count) / elapsed)
        print(
            "acknowledged sends: \(rate)/s with \(senders) senders of \(window) under way, \(received.withLockedValue { $0 }) received"
        )
        report("send to acknowledged", states.flatMap { $0.withLockedValue(\.latencies) })
        withExtendedLifetime(clients) {}
    }

    // MARK: Sessions that do nothing

    /// Memory of the server by session: what its resident set grew by.
    func idle(pid: Int, sessions: Int) async throws {
        let before = Self.residentBytes(pid)
        let clients = try await open(sessions, atOnce: 64)
        try await Task.sleep(for: .seconds(2))
        let after = Self.residentBytes(pid)
        print(
            "idle: \(sessions) sessions, \((after - before) / max(sessions, 1)) bytes each (resident set \(before) to \(after))")
        withExtendedLifetime(clients) {}
    }

    func connects(_ sessions: Int, atOnce: Int) async throws {
        let clock = ContinuousClock()
        let began = clock.now
        let clients = try await open(sessions, atOnce: atOnce)
        let elapsed = (clock.now - began).milliseconds / 1_000
        print("connects: \(Int(Double(sessions) / elapsed))/s, \(atOnce) at once")
        withExtendedLifetime(clients) {}
    }

    private func open(_ sessions: Int, atOnce: Int) async throws -> [ChatClient] {
        guard sessions <= tokens.count else { throw ChatClient.Failure(description: "there are \(tokens.count) tokens only") }
        return try await withThrowingTaskGroup(of: ChatClient.self) { tasks in
            var clients: [ChatClient] = []
            var next = 0
            func begin() {
                guard next < sessions else { return }
                let token = tokens[next]
                next += 1
                tasks.addTask {
                    try await ChatClient.connect(to: target, token: token, device: "d", on: group.next()) { _, _ in }
                }
            }
            for _ in 0..<min(atOnce, sessions) { begin() }
            while let client = try await tasks.next() {
                clients.append(client)
                begin()
            }
            return clients
        }
    }

    /// From the second field of `/proc/PID/statm`, in pages.
    private static func residentBytes(_ pid: Int) -> Int {
        guard let text = try? String(contentsOfFile: "/proc/\(pid)/statm", encoding: .utf8) else { return 0 }
        let fields = text.split(separator: " ")
        return fields.count > 1 ? (Int(fields[1]) ?? 0) * Int(getpagesize()) : 0
    }

    private func report(_ title: String, _ latencies: [Double]) {
        let sorted = latencies.sorted()
        guard !sorted.isEmpty else { return }
        func quantile(_ share: Double) -> String {
            String(format: "%.3f", sorted[min(Int(Double(sorted.count) * share), sorted.count - 1)])
        }
        print("\(title): \(sorted.count) messages, p50 \(quantile(0.5)) ms, p99 \(quantile(0.99)) ms, worst \(quantile(1)) ms")
    }
}

extension Duration {
    var milliseconds: Double { Double(components.seconds) * 1e3 + Double(components.attoseconds) / 1e15 }
}
