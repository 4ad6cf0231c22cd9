import Foundation
import PubNubProtocol

/// The device and the push service that a caller has passed to a push call.
struct PushDraft {
    /// The device token: `Data` for Apple's push services, a `String` for all other push services.
    var token: Any?
    var type: PNPushType = .PNAPNSPush
    var environment: PNAPNSEnvironment = .development
    var topic: String?

    var isSecondVersion: Bool { type == .PNAPNS2Push }

    /// Checks the arguments and returns the device as the service identifies it (rule PL-70).
    func device() throws(PubNubProblem) -> PubNubPushDevice {
        let service: PubNubPushDevice.Service
        switch type {
        case .PNAPNSPush: service = .apns
        case .PNAPNS2Push: service = .apns2(topic: try checkedTopic, isProduction: environment == .production)
        case .PNFCMPush: service = .gcm
        case .PNMPNSPush: service = .mpns
        default:
            throw .badArguments(
                "The push type has to be exactly one service. Pass .PNAPNSPush, .PNAPNS2Push, .PNFCMPush or .PNMPNSPush.")
        }
        let isApple = type == .PNAPNSPush || type == .PNAPNS2Push
        switch token {
        case let bytes as Data where isApple: return PubNubPushDevice(service: service, tokenBytes: Array(bytes))
        case let text as String: return PubNubPushDevice(service: service, token: isApple ? text.lowercased() : text)
        default:
            throw .badArguments(
                isApple
                    ? "The device token is neither Data nor a String of hexadecimal digits. Pass the token that the system gave the app."
                    : "The device token is not a String. Pass the token that the push service gave the app.")
        }
    }

    private var checkedTopic: String {
        get throws(PubNubProblem) {
            guard let topic = topic ?? Bundle.main.bundleIdentifier, !topic.isEmpty else {
                throw .badArguments("Apple's HTTP/2 push service needs a topic. Pass the bundle identifier of the app.")
            }
            return topic
        }
    }
}
