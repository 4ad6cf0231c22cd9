import Dispatch
import NIOConcurrencyHelpers
import Testing

@testable import NexconnChatSDK

/// Handlers by identifier (rules NC-20 to NC-22).
@Suite struct HandlerListTests {
    private let list = HandlerList<any ConnectionStatusHandler>()
    private let event = ConnectionStatusChangedEvent(NCConnectionDetails(status: .connected, category: "connected"))

    private func tell() { list.tell { $0.tell(event) } }

    @Test func `all identifiers are told, in the order of their registration`() {
        let heard = NIOLockedValueBox<[String]>([])
        let first = Watcher { _ in heard.withLockedValue { $0.append("first") } }
        let second = Watcher { _ in heard.withLockedValue { $0.append("second") } }
        list.add("a") { [weak first] in first }
        list.add("b") { [weak second] in second }
        list.add("c") { [weak first] in first }
        tell()
        #expect(heard.withLockedValue { $0 } == ["first", "second", "first"])
        withExtendedLifetime((first, second)) {}
    }

    @Test func `the same identifier replaces, in the same place`() {
        let heard = NIOLockedValueBox<[String]>([])
        let watchers = ["a", "b", "new"].map { name in Watcher { _ in heard.withLockedValue { $0.append(name) } } }
        list.add("a") { [weak watcher = watchers[0]] in watcher }
        list.add("b") { [weak watcher = watchers[1]] in watcher }
        list.add("a") { [weak watcher = watchers[2]] in watcher }
        tell()
        #expect(heard.withLockedValue { $0 } == ["new", "b"])
        withExtendedLifetime(watchers) {}
    }

    @Test func `handlers are held weakly`() {
        weak var released: Watcher?
        let heard = NIOLockedValueBox(0)
        do {
            let watcher = Watcher { _ in heard.withLockedValue { $0 += 1 } }
            released = watcher
            list.add("a") { [weak watcher] in watcher }
            tell()
        }
        #expect(released == nil)
        tell()
        #expect(heard.withLockedValue { $0 } == 1)
    }

    @Test func `whoever is removed inside a callback hears nothing more`() {
        let heard = NIOLockedValueBox<[String]>([])
        let list = list
        let first = Watcher { _ in
            heard.withLockedValue { $0.append("first") }
            list.remove("a")
            list.remove("b")
        }
        let second = Watcher { _ in heard.withLockedValue { $0.append("second") } }
        list.add("a") { [weak first] in first }
        list.add("b") { [weak second] in second }
        tell()
        tell()
        #expect(heard.withLockedValue { $0 } == ["first"])
        list.remove("unknown")
        withExtendedLifetime((first, second)) {}
    }

    @Test func `a removed handler hears nothing of what waits on the queue`() {
        let fixture = EngineFixture()
        let heard = NIOLockedValueBox(0)
        let watcher = Watcher { _ in heard.withLockedValue { $0 += 1 } }
        let registry = fixture.engine.registry
        registry.connectionStatus.add("w") { [weak watcher] in watcher }
        registry.run { registry.connectionStatus.remove("w") }
        registry.run { [event] in registry.connectionStatus.tell { $0.tell(event) } }
        fixture.settle()
        #expect(heard.withLockedValue { $0 } == 0)
        withExtendedLifetime(watcher) {}
    }

    @Test func `many threads may add, remove and tell`() async {
        let list = list
        let event = event
        await withTaskGroup(of: Void.self) { group in
            for thread in 0..<8 {
                group.addTask {
                    let watcher = Watcher { _ in }
                    for number in 0..<200 {
                        list.add("\(thread) \(number % 5)") { [weak watcher] in watcher }
                        list.tell { $0.tell(event) }
                        list.remove("\(thread) \((number + 2) % 5)")
                    }
                    for number in 0..<5 { list.remove("\(thread) \(number)") }
                }
            }
        }
        #expect(list.isEmpty)
    }

    /// Calls the list while it is released, as apps do.
    private final class SelfRemovingHandler: ConnectionStatusHandler {
        let list: HandlerList<any ConnectionStatusHandler>
        let name: String

        init(_ list: HandlerList<any ConnectionStatusHandler>, _ name: String) {
            self.list = list
            self.name = name
        }

        deinit {
            list.remove(name)
            _ = list.isEmpty
        }
    }

    @Test("NC-64: a handler may call the engine while it is released, whichever thread releases it")
    func selfRemoving() {
        let list = list
        DispatchQueue.concurrentPerform(iterations: 4) { thread in
            for round in 0..<3000 {
                let handler = SelfRemovingHandler(list, "\(thread).\(round)")
                list.add(handler.name) { [weak handler] in handler }
                list.tell { _ in }
            }
        }
        #expect(list.isEmpty)
    }
}
