import PusherProtocol
import ServerValues
import Testing

@testable import PusherServer

/// A front and what it needs, so that tests can speak in messages.
final class FrontHarness {
    var front = PusherFront(socketID: SocketID(high: 1234, low: 1234))
    var application = quietApplication
    var now = MonotonicInstant.seconds(0)

    func send(_ text: String) -> PusherAction {
        var parser = PusherEnvelopeParser()
        let bytes = Array(text.utf8)
        return bytes.withUnsafeBytes { front.receive($0, parser: &parser, application: application, at: now) }
    }

    func auth(_ channel: String, _ channelData: String? = nil) -> String {
        PusherSignature.channelAuth(
            socketID: front.socketID.description, channel: channel, channelData: channelData, key: application.key,
            secret: application.secret.revealed)
    }

    func subscribe(_ channel: String, auth: String? = nil, channelData: String? = nil) -> PusherAction {
        send(PusherClientFrames.subscribe(channel: channel, auth: auth, channelData: channelData))
    }

    /// Subscribes with a correct signature.
    func join(_ channel: String, channelData: String? = nil) -> PusherAction {
        subscribe(channel, auth: auth(channel, channelData), channelData: channelData)
    }

    func signIn(_ userData: String) -> PusherAction {
        let auth = PusherSignature.userAuth(
            socketID: front.socketID.description, userData: userData, key: application.key,
            secret: application.secret.revealed)
        return send(PusherClientFrames.signin(auth: auth, userData: userData))
    }
}

extension PusherAction {
    /// The error that is answered, if one is.
    var error: PusherErrorData? {
        let bytes: [UInt8]
        switch self {
        case .reply(let message), .refuse(let message, _): bytes = message
        default: return nil
        }
        guard let message = try? PusherEnvelope(parsing: bytes), message.event == PusherEventName.error else { return nil }
        let data = PusherErrorData(parsing: message.data)
        // What is counted is what is told.
        if case .refuse(_, let code) = self { #expect(code == data.code) }
        return data
    }
}
