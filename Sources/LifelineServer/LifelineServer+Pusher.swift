import PusherServer
import ServerStorage

// Methods for Pusher, for programs that embed a server.
extension LifelineServer {
    /// Publishes an event to a channel's subscribers, as the HTTP API does.
    ///
    /// - Parameters:
    ///   - app: the application's id; by default that of the development application.
    ///   - channel: the channel's name.
    ///   - event: the event's name.
    ///   - data: the event's data, which is sent as a string without changes; usually JSON text.
    /// - Throws: ``ServerError/unknownApplication(id:)``; ``ServerError/invalidMessage(_:)`` for an event whose name is reserved for the
    ///   service, such as `pusher:error`; ``ServerError/congested`` when too many bytes wait for the channel's subscribers, see
    ///   ``waitForRoom()``. After an error nothing was published.
    public func publish(app: String = Application.development.id, channel: String, event: String, data: String) throws {
        guard let application = configuration.applications.application(id: app) else {
            throw ServerError.unknownApplication(id: app)
        }
        if let reason = PusherService.refusal(ofEvent: event) { throw ServerError.invalidMessage(reason) }
        guard services.pusher.publish(event: event, data: data, to: channel, application: application) else {
            throw ServerError.congested
        }
    }

    /// Closes every WebSocket connection with a `pusher:error` and a close frame.
    ///
    /// - Parameters:
    ///   - code: the close code, 4000 ... 4999; its range tells clients whether to reconnect (Pusher protocol, Close codes).
    ///   - reason: a sentence for the clients.
    public func disconnectAll(code: UInt16 = 4200, reason: String = "The server asks to connect again.") {
        services.pusher.disconnectAll(code: code, reason: reason)
    }
}
