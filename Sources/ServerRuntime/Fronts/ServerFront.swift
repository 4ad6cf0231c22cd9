import NIOCore
import NIOHTTP1
import ServerValues

/// One protocol that a server speaks: the requests that it answers and its state on each event loop.
///
/// The runtime knows fronts by this protocol only, so adding one edits neither the runtime nor another front. Requests and upgrades
/// come on the connection's event loop. A path belongs to the first front of the server's list that owns it.
package protocol ServerFront: AnyObject, Sendable {
    /// The front's name in metrics and logs.
    var service: ServiceName { get }

    // MARK: Requests

    /// Answers a GET without a body before its target is parsed; false when the front wants it parsed, or it is another's.
    ///
    /// - Parameter target: without the server's prefix; used during the call only.
    func answer(plain target: UnsafeRawBufferPointer, for connection: HTTPConnection) -> Bool
    /// Whether a path belongs to the front, so that whatever is wrong with it is answered in its terms.
    func owns(_ segments: [String]) -> Bool
    /// Answers a request of a path that the front owns: at once, or later through ``HTTPConnection/expectAnswer()``.
    func answer(_ request: HTTPRequest, for connection: HTTPConnection)
    /// Whether a GET of a path needs its header fields, which plain requests come without.
    ///
    /// - Parameter target: without the server's prefix; used during the call only.
    func needsFields(of target: UnsafeRawBufferPointer) -> Bool
    /// A refusal in the terms of the front's API.
    func refusal(_ problem: HTTPProblem) -> HTTPAnswer
    /// Returns the answer for a path whose refusals have another form.
    func refusal(_ problem: HTTPProblem, of segments: [String]) -> HTTPAnswer
    /// How long a body may be. Bodies of more than ``BodyBudget/smallBytes`` need room in ``ServerContext/bodies`` (rule SV-80).
    ///
    /// - Parameter limit: as the server is configured.
    func bodyLimit(_ segments: [String], _ limit: Int) -> Int
    /// The key of the application that a body is for, whose share of ``ServerContext/bodies`` it counts against; nil for none (rule SV-81).
    func bodyApplication(_ segments: [String]) -> String?

    // MARK: Time and metrics

    /// The front's state on an event loop. Called on that loop.
    func resident(on loop: EventLoopContext) -> any LoopResident
    /// Applies what depends on time to the state that the event loops share. Called on one loop, at each sweep.
    func sweep()
    /// Returns the front's counters of an event loop. Called on that loop.
    func collect(on loop: EventLoopContext) -> any Sendable
    /// Adds the front's families to the metrics.
    ///
    /// - Parameter collected: what ``collect(on:)`` gave for each event loop.
    func write(_ collected: [any Sendable], _ names: [ApplicationName], to out: inout PrometheusText)
    /// Ends what the front does beside its connections, which are gone by now.
    func close() async
}

extension ServerFront {
    package func answer(plain target: UnsafeRawBufferPointer, for connection: HTTPConnection) -> Bool { false }
    package func needsFields(of target: UnsafeRawBufferPointer) -> Bool { false }
    package func refusal(_ problem: HTTPProblem) -> HTTPAnswer { HTTPAnswer(problem) }
    package func refusal(_ problem: HTTPProblem, of segments: [String]) -> HTTPAnswer { refusal(problem) }
    package func bodyLimit(_ segments: [String], _ limit: Int) -> Int { limit }
    package func bodyApplication(_ segments: [String]) -> String? { nil }
    package func sweep() {}
    package func collect(on loop: EventLoopContext) -> any Sendable { () }
    package func write(_ collected: [any Sendable], _ names: [ApplicationName], to out: inout PrometheusText) {}
    package func close() async {}
}

/// A front that takes WebSockets, which metrics count for each of its applications. A WebSocket belongs to the first front of the
/// server's list that has a subprotocol for its path.
package protocol WebSocketFront: ServerFront {
    /// The subprotocol of a WebSocket at this path; nil when the front does not take it.
    func subprotocol(of segments: [String]) -> String?
    /// Makes the handler of an accepted WebSocket. A refused client is informed over the WebSocket, because it cannot see the status of
    /// a failed handshake.
    func connection(_ target: RequestTarget, _ visitor: RequestOrigin, on loop: EventLoopContext) -> WebSocketConnection
}

/// A front's state on one event loop. Used on that loop only.
package protocol LoopResident: AnyObject {
    /// Applies time limits to the connections of this loop.
    func sweep(at now: MonotonicInstant)
    /// The connections, for a server that stops and ends them evenly (rule SV-37).
    func connections() -> [any DrainedConnection]
    /// Ends all connections at once.
    func cut()
}

/// A connection that can be asked to close.
package protocol DrainedConnection: AnyObject {
    func drain()
}

/// A request with everything that its answer depends on.
package struct HTTPRequest: Sendable {
    package var method: String
    /// The target without the server's path prefix.
    package var target: RequestTarget
    /// Empty for a plain request.
    package var headers: HTTPHeaders
    package var body: [UInt8]

    package init(method: String, target: RequestTarget, headers: HTTPHeaders, body: [UInt8]) {
        self.method = method
        self.target = target
        self.headers = headers
        self.body = body
    }
}
