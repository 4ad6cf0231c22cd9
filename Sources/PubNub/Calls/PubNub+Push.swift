import Foundation
import PubNubProtocol

// Methods for the channels whose push notifications a device gets. Each returns at once; `block` is called on the callback queue.
//
// A token of Apple's services is `Data`, or a `String` of its hexadecimal digits. A token of another service is a `String`.
extension PubNub {
    /// Enables push notifications of channels for a device, through Apple's older push service.
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

    /// Enables push notifications of channels for a device.
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

    /// Disables push notifications of channels for a device, through Apple's older push service.
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

    /// Disables all push notifications of a device, through Apple's older push service.
    public func removeAllPushNotificationsFromDeviceWithPushToken(
        _ pushToken: Data, andCompletion block: PNPushNotificationsStateModificationCompletionBlock? = nil
    ) {
        pushOff(PushDraft(token: pushToken), query: nil, block)
    }

    /// Disables all push notifications of a device at one push service.
    public func removeAllPushNotificationsFromDeviceWithPushToken(
        _ pushToken: Any, pushType: PNPushType,
        andCompletion block: PNPushNotificationsStateModificationCompletionBlock? = nil
    ) {
        pushOff(PushDraft(token: pushToken, type: pushType), query: nil, block)
    }

    /// Disables all push notifications of a device, with the environment and topic of Apple's HTTP/2 push service.
    public func removeAllPushNotificationsFromDeviceWithPushToken(
        _ pushToken: Any, pushType: PNPushType, environment: PNAPNSEnvironment, topic: String,
        andCompletion block: PNPushNotificationsStateModificationCompletionBlock? = nil
    ) {
        pushOff(PushDraft(token: pushToken, type: pushType, environment: environment, topic: topic), query: nil, block)
    }

    /// Requests the channels whose push notifications a device gets through Apple's older push service.
    public func pushNotificationEnabledChannelsForDeviceWithPushToken(
        _ pushToken: Data, andCompletion block: @escaping PNPushNotificationsStateAuditCompletionBlock
    ) {
        pushChannels(PushDraft(token: pushToken), query: nil, block)
    }

    /// Requests the channels whose push notifications a device gets through one push service.
    public func pushNotificationEnabledChannelsForDeviceWithPushToken(
        _ pushToken: Any, pushType: PNPushType, andCompletion block: @escaping PNPushNotificationsStateAuditCompletionBlock
    ) {
        pushChannels(PushDraft(token: pushToken, type: pushType), query: nil, block)
    }

    /// Requests the channels whose push notifications a device gets, with the environment and topic of Apple's HTTP/2 push service.
    public func pushNotificationEnabledChannelsForDeviceWithPushToken(
        _ pushToken: Any, pushType: PNPushType, environment: PNAPNSEnvironment, topic: String,
        andCompletion block: @escaping PNPushNotificationsStateAuditCompletionBlock
    ) {
        pushChannels(PushDraft(token: pushToken, type: pushType, environment: environment, topic: topic), query: nil, block)
    }
}

// The implementation that the methods for push notifications share.
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
