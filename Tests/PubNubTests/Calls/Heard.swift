import Foundation
import NIOConcurrencyHelpers

@testable import PubNub

/// Keeps what blocks are called with. `@unchecked Sendable`: the values are behind `box`, a lock, and are read after the calls.
final class Heard<Value>: @unchecked Sendable {
    private let box = NIOLock()
    private var values: [Value] = []

    var all: [Value] { box.withLock { values } }
    var last: Value? { all.last }
    var count: Int { all.count }

    func add(_ value: Value) { box.withLock { values.append(value) } }
}

/// What `(result, status)` blocks are called with.
typealias Outcomes<Value> = Heard<(result: Value?, status: PNErrorStatus?)>

extension Fixture {
    /// A client whose calls are answered with these bodies and status 200, one after the other.
    static func answering(_ bodies: String..., configure: (inout ConfigurationValues) -> Void = { _ in }) -> Fixture {
        Fixture(calls: ScriptedCalls(bodies.map { .status(200, $0) }), configure: configure)
    }

    /// Method, path and the call's own parameters of a request, without what all requests carry.
    func line(_ index: Int = 0) -> String {
        guard calls.sent.indices.contains(index) else { return "nothing was sent" }
        let exchange = calls.sent[index]
        let parts = exchange.target.split(separator: "?", maxSplits: 1)
        let common = ["uuid", "deviceid", "instanceid", "requestid", "pnsdk", "auth", "seqn"]
        let own = parts.dropFirst().first.map { $0.split(separator: "&") } ?? []
        let query = own.filter { item in !common.contains { item.hasPrefix($0 + "=") } }.joined(separator: "&")
        return "\(exchange.method) \(parts[0])" + (query.isEmpty ? "" : "?" + query)
    }

    var lastLine: String { line(calls.sent.count - 1) }
}
