/// The list of the services of this package.
package enum ServiceModules {
    /// All services of this package, in the order in which they are made and shown.
    ///
    /// Pusher is the first, because the front of a later module has priority, and Pusher accepts every WebSocket that no other front
    /// accepts.
    package static let all: [any ServiceModule] = [PusherModule(), PubNubModule(), ChatModule()]
}
