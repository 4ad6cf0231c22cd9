import Foundation
import PubNubProtocol

// The channels on which devices get push notifications. Each method returns at once; `block` is called on the callback queue.
//
// A token of Apple's services is `Data`, or a `String` of its hexadecimal digits; a token of other services is a `String`.
extension PubNub {
    /// Enables push notifications through Apple's older service.
    public func addPushNotificationsOnChannels(
        _ channels: [String], withDevicePushToken pushToken: Data,
        andCompletion block: PNPushNotificationsStateModificationCompletionBlock? = nil
    ) {
        push(.add, channels, draft: PushDraft(token: pushToken), query: nil, block)
    }

    /// Enables push notifications.
    public func addPushNotificationsOnChannels(
        _ channels: [String], withDevicePushToken pushToken: Any, pushType: PNPushType,
        andCompletion block: PNPushNotificationsStateModificationCompletionBlock? = nil
    ) {
        push(.add, channels, draft: PushDraft(token: pushToken, type: pushType), query: nil, block)
    }

    /// Enables push notifications.
    ///
    /// - Parameters:
    ///   - channels: the channels' names.
    ///   - pushToken: the device's token.
    ///   - pushType: the push service.
    ///   - environment: the environment of Apple's HTTP/2 service.
    ///   - topic: the topic for Apple's HTTP/2 service: the app's bundle identifier.
    ///   - block: called on the callback queue.
    public func addPushNotificationsOnChannels(
        _ channels: [String], withDevicePushToken pushToken: Any, pushType: PNPushType, environment: PNAPNSEnvironment,
        topic: String, andCompletion block: PNPushNotificationsStateModificationCompletionBlock? = nil
    ) {
        let device = PushDraft(token: pushToken, type: pushType, environment: environment, topic: topic)
        push(.add, channels, draft: device, query: nil, block)
    }

    /// Disables push notifications through Apple's older service.
    public func removePushNotificationsFromChannels(
        _ channels: [String], withDevicePushToken pushToken: Data,
        andCompletion block: PNPushNotificationsStateModificationCompletionBlock? = nil
    ) {
        push(.remove, channels, draft: PushDraft(token: pushToken), query: nil, block)
    }

    /// Disables push notifications.
    public func removePushNotificationsFromChannels(
        _ channels: [String], withDevicePushToken pushToken: Any, pushType: PNPushType,
        andCompletion block: PNPushNotificationsStateModificationCompletionBlock? = nil
    ) {
        push(.remove, channels, draft: PushDraft(token: pushToken, type: pushType), query: nil, block)
    }

    /// Disables push notifications.
    public func removePushNotificationsFromChannels(
        _ channels: [String], withDevicePushToken pushToken: Any, pushType: PNPushType, environment: PNAPNSEnvironment,
        topic: String, andCompletion block: PNPushNotificationsStateModificationCompletionBlock? = nil
    ) {
        let device = PushDraft(token: pushToken, type: pushType, environment: environment, topic: topic)
        push(.remove, channels, draft: device, query: nil, block)
    }

    /// Disables all push notifications of a device through Apple's older service.
    public func removeAllPushNotificationsFromDeviceWithPushToken(
        _ pushToken: Data, andCompletion block: PNPushNotificationsStateModificationCompletionBlock? = nil
    ) {
        pushOff(PushDraft(token: pushToken), query: nil, block)
    }

    /// Disables all push notifications of a device.
    public func removeAllPushNotificationsFromDeviceWithPushToken(
        _ pushToken: Any, pushType: PNPushType,
        andCompletion block: PNPushNotificationsStateModificationCompletionBlock? = nil
    ) {
        pushOff(PushDraft(token: pushToken, type: pushType), query: nil, block)
    }

    /// Disables all push notifications of a device.
    public func removeAllPushNotificationsFromDeviceWithPushToken(
        _ pushToken: Any, pushType: PNPushType, environment: PNAPNSEnvironment, topic: String,
        andCompletion block: PNPushNotificationsStateModificationCompletionBlock? = nil
    ) {
        pushOff(PushDraft(token: pushToken, type: pushType, environment: environment, topic: topic), query: nil, block)
    }

    /// Requests the channels on which a device is notified through Apple's older service.
    public func pushNotificationEnabledChannelsForDeviceWithPushToken(
        _ pushToken: Data, andCompletion block: @escaping PNPushNotificationsStateAuditCompletionBlock
    ) {
        pushChannels(PushDraft(token: pushToken), query: nil, block)
    }

    /// Requests the channels on which a device is notified.
    public func pushNotificationEnabledChannelsForDeviceWithPushToken(
        _ pushToken: Any, pushType: PNPushType, andCompletion block: @escaping PNPushNotificationsStateAuditCompletionBlock
    ) {
        pushChannels(PushDraft(token: pushToken, type: pushType), query: nil, block)
    }

    /// Requests the channels on which a device is notified.
    public func pushNotificationEnabledChannelsForDeviceWithPushToken(
        _ pushToken: Any, pushType: PNPushType, environment: PNAPNSEnvironment, topic: String,
        andCompletion block: @escaping PNPushNotificationsStateAuditCompletionBlock
    ) {
        pushChannels(PushDraft(token: pushToken, type: pushType, environment: environment, topic: topic), query: nil, block)
    }
}

// Shared implementation of the push methods.
extension PubNub {
    func push(
        _ change: PubNubChangePushCall.Change, _ channels: [String], draft: PushDraft, query: [AnyHashable: Any]?,
        _ block: PNPushNotificationsStateModificationCompletionBlock?
    ) {
        let operation: PNOperationType
        switch change {
        case .add:
            operation =
                draft.isSecondVersion
                ? .addPushNotificationsOnChannelsV2Operation : .addPushNotificationsOnChannelsOperation
        case .remove:
            operation =
                draft.isSecondVersion
                ? .removePushNotificationsFromChannelsV2Operation : .removePushNotificationsFromChannelsOperation
        }
        startForAcknowledgment(operation, extras: CallExtras(query: query)) { () throws(PubNubProblem) in
            PubNubChangePushCall(device: try draft.device(), change, channels: channels)
        } then: {
            block?($0)
        }
    }

    func pushOff(
        _ draft: PushDraft, query: [AnyHashable: Any]?, _ block: PNPushNotificationsStateModificationCompletionBlock?
    ) {
        let operation: PNOperationType =
            draft.isSecondVersion ? .removeAllPushNotificationsV2Operation : .removeAllPushNotificationsOperation
        startForAcknowledgment(operation, extras: CallExtras(query: query)) { () throws(PubNubProblem) in
            PubNubRemovePushCall(device: try draft.device())
        } then: {
            block?($0)
        }
    }

    func pushChannels(
        _ draft: PushDraft, query: [AnyHashable: Any]?, _ block: @escaping PNPushNotificationsStateAuditCompletionBlock
    ) {
        let operation: PNOperationType =
            draft.isSecondVersion
            ? .pushNotificationEnabledChannelsV2Operation : .pushNotificationEnabledChannelsOperation
        startForResult(operation, extras: CallExtras(query: query)) { () throws(PubNubProblem) in
            PubNubListPushCall(device: try draft.device())
        } result: { facts, channels in
            PNAPNSEnabledChannelsResult(facts, channels)
        } then: {
            block($0, $1)
        }
    }
}
