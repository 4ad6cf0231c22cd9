import NIOCore
import NIOHTTP1
import ServerValues

/// A front: the implementation of one service's protocol in a server. It answers requests and has state on each event loop.
///
/// The runtime uses fronts only through this protocol, so adding one changes neither the runtime nor another front. Methods for requests
/// and upgrades are called on the connection's event loop. A path belongs to the first front in the server's list that owns it.
package protocol ServerFront: AnyObject, Sendable {
    /// The name of the service, as used in metrics and logs.
    var service: ServiceName { get }

    // MARK: Requests

    /// Answers a GET without a body before its target is parsed; returns false when the target has to be parsed, or belongs to
    /// another service.
    ///
    /// - Parameter target: the target without the server's prefix; valid only during the call.
    func answer(plain target: UnsafeRawBufferPointer, for connection: HTTPConnection) -> Bool
    /// Returns whether this service handles requests for a path. Errors at that path are then answered in the format of the service's API.
    func owns(_ segments: [String]) -> Bool
    /// Answers a request for a path that the service owns: at once, or later through ``HTTPConnection/expectAnswer()``.
    func answer(_ request: HTTPRequest, for connection: HTTPConnection)
    /// Returns whether this service needs the header fields of a GET with this target. Requests that are parsed in place provide no header
    /// fields.
    ///
    /// - Parameter target: the target without the server's prefix; valid only during the call.
    func needsFields(of target: UnsafeRawBufferPointer) -> Bool
    /// Makes an error answer in the format of this service's API.
    func refusal(_ problem: HTTPProblem) -> HTTPAnswer
    /// Makes the error answer for a path, because some paths of one service may have another error format than the rest.
    func refusal(_ problem: HTTPProblem, of segments: [String]) -> HTTPAnswer
    /// The size limit of a request body in bytes. Bodies of more than ``BodyBudget/smallBytes`` need a reservation in
    /// ``ServerContext/bodies`` (rule SV-80).
    ///
    /// - Parameter limit: the limit in the server's configuration.
    func bodyLimit(_ segments: [String], _ limit: Int) -> Int
    /// The key of the application whose share of the memory budget ``ServerContext/bodies`` a request body uses; nil when the body belongs
    /// to no application (rule SV-81).
    func bodyApplication(_ segments: [String]) -> String?

    // MARK: Periodic work and metrics

    /// Makes the service's state on an event loop. Called on that event loop.
    func resident(on loop: EventLoopContext) -> any LoopResident
    /// Runs the time-dependent work of the state that all event loops share. Called on one event loop, at each periodic check of the
    /// connections.
    func sweep()
    /// Returns the service's counters of an event loop. Called on that event loop.
    func collect(on loop: EventLoopContext) -> any Sendable
    /// Adds the service's metric families to `out`.
    ///
    /// - Parameter collected: the results of ``collect(on:)`` for all event loops.
    func write(_ collected: [any Sendable], _ names: [ApplicationName], to out: inout PrometheusText)
    /// Stops the service's background work. Called after all its connections have ended.
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

/// A service that accepts WebSockets; metrics count these for each application. A WebSocket belongs to the first service in the server's
/// list that returns a subprotocol for the path.
package protocol WebSocketFront: ServerFront {
    /// The subprotocol of a WebSocket at this path; nil when the service does not accept it.
    func subprotocol(of segments: [String]) -> String?
    /// Makes the handler of an accepted WebSocket. A WebSocket of a client that the service refuses is accepted, too, and then closed with
    /// a close code, because clients cannot see the status of a failed handshake.
    func connection(_ target: RequestTarget, _ visitor: RequestOrigin, on loop: EventLoopContext) -> WebSocketConnection
}

/// The state of a service on one event loop. Used on that event loop only.
package protocol LoopResident: AnyObject {
    /// Applies time limits to the connections of this event loop.
    func sweep(at now: MonotonicInstant)
    /// All connections of the service on this event loop. A stopping server closes them at an even rate (rule SV-37).
    func connections() -> [any DrainedConnection]
    /// Closes all connections at once.
    func cut()
}

/// A connection that a stopping server can ask to close in an orderly way.
package protocol DrainedConnection: AnyObject {
    func drain()
}

/// A complete HTTP request: method, target, header fields and body.
package struct HTTPRequest: Sendable {
    package var method: String
    /// The target without the server's path prefix.
    package var target: RequestTarget
    /// The header fields; empty for a plain request.
    package var headers: HTTPHeaders
    package var body: [UInt8]

    package init(method: String, target: RequestTarget, headers: HTTPHeaders, body: [UInt8]) {
        self.method = method
        self.target = target
        self.headers = headers
        self.body = body
    }
}
