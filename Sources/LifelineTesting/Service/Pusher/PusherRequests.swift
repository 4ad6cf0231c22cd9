import EngineRuntime
import Identifiers
import PusherProtocol
import WireCoding

// Answering requests of Pusher's HTTP API, and requests to the authorisation endpoint of the app's own server.
extension ServiceState {
    /// `POST /apps/ID/events`
    mutating func pusherEvents(_ id: UInt64, _ line: DecodedRequest) {
        guard let body = try? JSONText(bytes: line.body), let event = body["name"]?.string,
            let channels = body["channels"]?.elements?.compactMap(\.string), let data = body["data"]?.string
        else { return finish(id, .success(.text(400, "The body is not an event of Pusher's HTTP API."))) }
        for channel in channels {
            switch outcome(on: channel) {
            case .refused(let reason):
                record(TestPublication(channel: channel, event: event, json: data, user: nil, isAccepted: false))
                return finish(id, .success(.text(403, reason)))
            case .unanswered: requests[id]?.isLost = true
            case .accepted: break
            }
            record(TestPublication(channel: channel, event: event, json: data, user: nil, isAccepted: true))
            let frame = PusherFrames.event(name: event, channel: channel, data: data)
            for subscriber in pusherSubscribers(of: channel) { tell(subscriber, frame) }
        }
        if requests[id]?.isLost == false { finish(id, json: "{}") }
    }

    /// `GET /apps/ID/channels/NAME/users`
    mutating func pusherUsers(_ id: UInt64, of channel: String) {
        let users = self.channel(channel) { $0.members }.map { #"{"id":\#(JSONWriter.string($0.id))}"# }
        finish(id, json: #"{"users":[\#(users.joined(separator: ","))]}"#)
    }

    /// Answers a request to an authorisation endpoint. Every user is authorised, except on denied channels.
    ///
    /// - Returns: whether the request is an authorisation request.
    mutating func authorize(_ id: UInt64, _ line: DecodedRequest) -> Bool {
        let form = line.form
        guard line.method == "POST", let socket = form["socket_id"], !socket.isEmpty else { return false }
        let user = #"{"user_id":"me"}"#
        guard let name = form["channel_name"] else {
            finish(id, json: #"{"auth":"test-key:signature","user_data":\#(JSONWriter.string(#"{"id":"me"}"#))}"#)
            return true
        }
        if isDenied(name) {
            finish(id, .success(.text(403, "TestService.deny(_:) denies access to the channel.")))
        } else if PusherChannelKind(of: name).access == .presence {
            finish(id, json: #"{"auth":"test-key:signature","channel_data":\#(JSONWriter.string(user))}"#)
        } else {
            finish(id, json: #"{"auth":"test-key:signature"}"#)
        }
        return true
    }
}
