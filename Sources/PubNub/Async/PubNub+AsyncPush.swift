import Foundation
import PubNubProtocol

/// A device with its push service. An addition to the Cocoa SDK.
public struct PNPushDevice: Hashable, Sendable {
    let device: PubNubPushDevice

    /// A device of Apple's push service with the HTTP/2 protocol.
    ///
    /// - Parameters:
    ///   - token: the device token, as the system provides it.
    ///   - topic: the app's bundle identifier.
    ///   - environment: the environment of Apple's service.
    public static func apns2(_ token: Data, topic: String, environment: PNAPNSEnvironment) -> PNPushDevice {
        PNPushDevice(
            device: PubNubPushDevice(
                service: .apns2(topic: topic, isProduction: environment == .production), tokenBytes: Array(token)))
    }

    /// A device of Apple's push service with the older protocol.
    public static func apns(_ token: Data) -> PNPushDevice {
        PNPushDevice(device: PubNubPushDevice(service: .apns, tokenBytes: Array(token)))
    }

    /// A device of Google's Firebase Cloud Messaging.
    public static func fcm(_ token: String) -> PNPushDevice {
        PNPushDevice(device: PubNubPushDevice(service: .fcm, token: token))
    }
}

// Push notifications with async functions, an addition to the Cocoa SDK.
extension PubNub {
    /// Enables push notifications of a device.
    ///
    /// - Throws: the service's refusal, a failure of the network, or an error in the arguments; see ``PNCallError``.
    public func addPush(_ device: PNPushDevice, on channels: [String]) async throws(PNCallError) {
        try await answer(to: PubNubChangePushCall(device: device.device, .add, channels: channels))
    }

    /// Disables push notifications of a device; on all channels when none are given.
    ///
    /// - Throws: the service's refusal, a failure of the network, or an error in the arguments; see ``PNCallError``.
    public func removePush(_ device: PNPushDevice, on channels: [String] = []) async throws(PNCallError) {
        if channels.isEmpty {
            try await answer(to: PubNubRemovePushCall(device: device.device))
        } else {
            try await answer(to: PubNubChangePushCall(device: device.device, .remove, channels: channels))
        }
    }

    /// Fetches the channels on which a device is notified.
    ///
    /// - Throws: the service's refusal, a failure of the network, or an error in the arguments; see ``PNCallError``.
    public func pushChannels(of device: PNPushDevice) async throws(PNCallError) -> [String] {
        try await answer(to: PubNubListPushCall(device: device.device))
    }
}
