import ConnectionEngine
import Dispatch
import EngineRuntime
import Foundation
import NIOConcurrencyHelpers
import PubNubProtocol
import Testing

@testable import PubNub

/// What becomes of completions and listeners in an order that a busy queue, or the end of the client, brings (rules PK-77 to PK-82).
@Suite(.timeLimit(.minutes(1)))
struct ReleaseTests {
    /// A queue that runs what it has when the test says so.
    private final class HeldQueue: Sendable {
        private let jobs = NIOLockedValueBox<[@Sendable () -> Void]>([])

        var queue: CallbackQueue {
            CallbackQueue { job in self.jobs.withLockedValue { $0.append(job) } }
        }

        func runAll() {
            while true {
                let next = jobs.withLockedValue { $0.isEmpty ? nil : $0.removeFirst() }
                guard let next else { return }
                next()
            }
        }
    }

    private static func client(
        _ engine: ScriptedEngine, _ calls: ScriptedCalls = ScriptedCalls(), queue: CallbackQueue = .inline
    ) -> PubNub {
        PubNub(
            ConfigurationValues(publishKey: "p", subscribeKey: "s", uuid: "me", deviceID: "d"), queue: queue,
            assembly: PubNubEngineAssembly(makeCalls: { _ in calls }, makeEngine: { _, _ in engine }))
    }

    @Test("PK-82: a completion comes behind the messages that were there before it, also while a listener is busy")
    func order() {
        let (engine, held, listener) = (ScriptedEngine(), HeldQueue(), RecordingListener())
        let told = NIOLockedValueBox<[String]>([])
        let client = Self.client(engine, ScriptedCalls(.status(200, "[17]")), queue: held.queue)
        client.addListener(listener)
        listener.onLine { line in
            told.withLockedValue { $0.append(line) }
            // While the first message is told, another one comes, and then the answer of a call.
            guard line == "message a 1" else { return }
            engine.tell(.messages(PubNubBatch([.text("2")])))
            client.timeWithCompletion { _, _ in told.withLockedValue { $0.append("time") } }
        }
        engine.tell(.messages(PubNubBatch([.text("1")])))
        held.runAll()
        #expect(told.withLockedValue { $0 } == ["message a 1", "message a 2", "time"])
    }

    @Test("PK-77: completions that wait are called when the client is released, once each and in order")
    func completions() {
        let (engine, held) = (ScriptedEngine(), HeldQueue())
        let told = NIOLockedValueBox<[String]>([])
        var client: PubNub? = Self.client(engine, ScriptedCalls(.status(200, "[17]"), .never), queue: held.queue)
        client?.timeWithCompletion { result, _ in told.withLockedValue { $0.append(result == nil ? "failed" : "answered") } }
        client?.timeWithCompletion { _, status in
            told.withLockedValue { $0.append("\(status?.category == .PNCancelledCategory)") }
        }
        client = nil
        held.runAll()
        #expect(told.withLockedValue { $0 } == ["answered", "true"])
    }

    @Test("PK-77: so is that of unsubscribing, whoever drives the engine then")
    func unsubscribing() {
        let engine = ScriptedEngine()
        let told = NIOLockedValueBox(0)
        var client: PubNub? = Self.client(engine)
        client?.subscribeToChannels(["a"], withPresence: false)
        client?.unsubscribeFromAll { _ in told.withLockedValue { $0 += 1 } }
        client = nil
        engine.completeAll()
        #expect(told.withLockedValue { $0 } == 1)
    }

    @Test("PK-77: a client that takes another one's place is handed over, also when the other one is released")
    func heir() {
        let engine = ScriptedEngine()
        let heir = NIOLockedValueBox<PubNub?>(nil)
        var client: PubNub? = Self.client(engine)
        client?.subscribeToChannels(["a"], withPresence: false)
        let configuration = PNConfiguration(
            ConfigurationValues(publishKey: "p", subscribeKey: "s", uuid: "somebody else", deviceID: "d"))
        client?.copyWithConfiguration(configuration) { made in heir.withLockedValue { $0 = made } }
        client = nil
        engine.completeAll()
        #expect(heir.withLockedValue { $0?.channels() } == ["a"])
    }

    @Test("PK-78: a file that is under way keeps no client alive, and ends as cancelled")
    func files() async {
        let engine = ScriptedEngine()
        weak var released: PubNub?
        let status = await withCheckedContinuation { (done: CheckedContinuation<PNSendFileStatus, Never>) in
            let client = Self.client(engine, ScriptedCalls(.never))
            released = client
            let request = PNSendFileRequest(channel: "c", fileName: "a.txt", data: Data([1]))
            client.sendFile(with: request) { done.resume(returning: $0) }
        }
        #expect(status.category == .PNCancelledCategory)
        #expect(released == nil)
    }

    @Test("PK-78: a call that is repeated after the client has gone ends as cancelled")
    func retry() {
        let told = NIOLockedValueBox<[PNErrorStatus]>([])
        var client: PubNub? = Self.client(ScriptedEngine(), ScriptedCalls(.failure(ConnectionFailure(.timeout, "No answer."))))
        client?.timeWithCompletion { _, status in told.withLockedValue { $0 += status.map { [$0] } ?? [] } }
        client = nil
        told.withLockedValue { $0.first }?.retry()
        #expect(told.withLockedValue { $0.map(\.category) } == [.PNTimeoutCategory, .PNCancelledCategory])
    }

    /// Calls the client while it is released, as apps do.
    private final class SelfRemovingListener: PNEventsListener {
        let table: ListenerTable

        init(_ table: ListenerTable) {
            self.table = table
        }

        deinit {
            table.remove(self)
            _ = table.present
        }
    }

    @Test("PK-80: a listener may call the client while it is released, whichever thread releases it")
    func selfRemoving() {
        let table = ListenerTable()
        DispatchQueue.concurrentPerform(iterations: 4) { thread in
            for _ in 0..<5000 {
                if thread == 0 {
                    _ = table.present
                } else {
                    let listener = SelfRemovingListener(table)
                    table.add(listener)
                    #expect(table.contains(listener))
                }
            }
        }
        #expect(table.present.isEmpty)
    }
}
