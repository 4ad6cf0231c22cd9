import Foundation
import PubNubProtocol

/// A device that gets push notifications: its token and its push service. An addition to the Cocoa SDK.
public struct PNPushDevice: Hashable, Sendable {
    let device: PubNubPushDevice

    /// A device that Apple's push service reaches over its HTTP/2 protocol.
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

    /// A device that Apple's push service reaches over its older protocol.
    public static func apns(_ token: Data) -> PNPushDevice {
        PNPushDevice(device: PubNubPushDevice(service: .apns, tokenBytes: Array(token)))
    }

    /// A device of Google's Firebase Cloud Messaging.
    public static func fcm(_ token: String) -> PNPushDevice {
        PNPushDevice(device: PubNubPushDevice(service: .fcm, token: token))
    }
}

// Async functions for push notifications, an addition to the Cocoa SDK.
extension PubNub {
    /// Enables push notifications of channels for a device.
    ///
    /// - Throws: the service's refusal, a failure of the network, or an error in the arguments; see ``PNCallError``.
    public func addPush(_ device: PNPushDevice, on channels: [String]) async throws(PNCallError) {
        try await answer(to: PubNubChangePushCall(device: device.device, .add, channels: channels))
    }

    /// Disables push notifications of channels for a device. An empty list of channels stands for all channels.
    ///
    /// - Throws: the service's refusal, a failure of the network, or an error in the arguments; see ``PNCallError``.
    public func removePush(_ device: PNPushDevice, on channels: [String] = []) async throws(PNCallError) {
        if channels.isEmpty {
            try await answer(to: PubNubRemovePushCall(device: device.device))
        } else {
            try await answer(to: PubNubChangePushCall(device: device.device, .remove, channels: channels))
        }
    }

    /// Fetches the channels whose push notifications a device gets.
    ///
    /// - Throws: the service's refusal, a failure of the network, or an error in the arguments; see ``PNCallError``.
    public func pushChannels(of device: PNPushDevice) async throws(PNCallError) -> [String] {
        try await answer(to: PubNubListPushCall(device: device.device))
    }
}
