import ChatDatabase
import ChatProtocol
import EngineRuntime
import Foundation

/// The parameters for the do-not-disturb level of all channels of one type.
///
/// `@unchecked Sendable`: every property is `Guarded`, which protects it with a lock.
#if canImport(ObjectiveC)
    @objc(NCChannelTypeNoDisturbLevelParams) @objcMembers
#endif
public final class ChannelTypeNoDisturbLevelParams: NSObject, @unchecked Sendable {
    /// The type of the channels.
    @Guarded public var channelType: ChannelType = .direct
    /// The level for channels of this type that have no level of their own.
    @Guarded public var level: ChannelNoDisturbLevel = .defaultLevel
}

/// Selects the channels whose unread messages are counted.
///
/// `@unchecked Sendable`: every property is `Guarded`, which protects it with a lock.
#if canImport(ObjectiveC)
    @objc(NCChannelsUnreadCountByNoDisturbLevelParams) @objcMembers
#endif
public final class ChannelsUnreadCountByNoDisturbLevelParams: NSObject, @unchecked Sendable {
    /// The types of channels to count. Open channels have no unread count.
    @Guarded public var channelTypes: [ChannelType] = [.direct, .group, .system]
    /// The levels of channels to count; empty for all levels.
    @Guarded public var levels: [ChannelNoDisturbLevel] = []
}

// Functions for all channels of the user in this device's database (rules NH-20, NH-24).
extension BaseChannel {
    /// Loads channels from this device's list of channels. The result lacks open channels and channels that are not in the list.
    #if canImport(ObjectiveC)
        @objc(getChannels:completion:)
    #endif
    public static func getChannels(
        identifiers: [ChannelIdentifier], completion: ((_ channels: [BaseChannel]?, _ error: NCError?) -> Void)?
    ) {
        let wanted = identifiers.compactMap(\.channel)
        list(completion) { database throws(ChatDatabaseError) in try database.channels(wanted) }
    }

    /// Loads the pinned channels from this device's list of channels.
    ///
    /// - Parameters:
    ///   - channelTypes: raw values of ``ChannelType``.
    ///   - completion: called once, on the callback queue.
    public static func getPinnedChannels(
        channelTypes: [NSNumber], completion: ((_ channels: [BaseChannel]?, _ error: NCError?) -> Void)?
    ) {
        let kinds = channelTypes.channelTypes.listed
        list(completion) { database throws(ChatDatabaseError) in try database.pinnedChannels(kinds) }
    }

    /// Loads the channels with unread messages from this device's list of channels.
    ///
    /// - Parameters:
    ///   - channelTypes: raw values of ``ChannelType``.
    ///   - completion: called once, on the callback queue.
    public static func getUnreadChannels(
        channelTypes: [NSNumber], completion: ((_ channels: [BaseChannel]?, _ error: NCError?) -> Void)?
    ) {
        let kinds = channelTypes.channelTypes.listed
        list(completion) { database throws(ChatDatabaseError) in try database.unreadChannels(kinds) }
    }

    /// Counts the unread messages of all direct, group and system channels.
    public static func getTotalUnreadCount(completion: ((_ count: Int, _ error: NCError?) -> Void)?) {
        let engine = NCEngine.engine
        engine.local(engine.counting(completion)) { _, database throws(ChatDatabaseError) in
            try database.unreadTotal([.direct, .group, .system])
        }
    }

    /// Counts the unread messages of channels of the given types and levels.
    public static func getChannelsUnreadCountByNoDisturbLevel(
        params: ChannelsUnreadCountByNoDisturbLevelParams, completion: ((_ count: Int, _ error: NCError?) -> Void)?
    ) {
        let engine = NCEngine.engine
        let (kinds, levels) = (params.channelTypes.listed, params.levels.map(\.rawValue))
        engine.local(engine.counting(completion)) { _, database throws(ChatDatabaseError) in
            try database.unreadTotal(kinds, levels: levels.isEmpty ? nil : levels)
        }
    }

    /// Removes channels from the list of channels, with their pins, drafts and unread counts. Their messages stay.
    public static func deleteChannels(identifiers: [ChannelIdentifier], completion: ((_ error: NCError?) -> Void)?) {
        let engine = NCEngine.engine
        let channels = identifiers.compactMap(\.channel)
        engine.local(engine.confirming(completion)) { _, database throws(ChatDatabaseError) in
            try database.deleteChannels(channels)
        }
    }

    /// Sets the do-not-disturb level of all channels of a type that have no level of their own, on all devices of the user. Needs a
    /// connection.
    public static func setChannelTypeNoDisturbLevel(
        params: ChannelTypeNoDisturbLevelParams, completion: ((_ error: NCError?) -> Void)?
    ) {
        let engine = NCEngine.engine
        let end: Completion<Void> = engine.confirming(completion)
        let level = params.level.rawValue
        guard let kind = params.channelType.conversation else { return end(.failure(.noCommunities)) }
        engine.ask(.set(ChatChannelSettings(conversation: kind, id: nil, level: level)), completion: end) {
            client, _ throws(NCError) in
            try client.local { _, database throws(ChatDatabaseError) in try database.setLevel(level, of: kind) }
        }
    }

    /// Loads the do-not-disturb level that applies to channels of a type without a level of their own.
    public static func getChannelTypeNoDisturbLevel(
        channelType: ChannelType, completion: ((_ level: ChannelNoDisturbLevel, _ error: NCError?) -> Void)?
    ) {
        let engine = NCEngine.engine
        let block = CallerBlock(completion)
        let end: Completion<Int> = engine.counting { level, error in
            block(ChannelNoDisturbLevel(rawValue: level) ?? .defaultLevel, error)
        }
        guard let kind = channelType.conversation else { return end(.failure(.noCommunities)) }
        engine.local(end) { _, database throws(ChatDatabaseError) in try database.level(of: kind) }
    }

    /// Fetches the pins and do-not-disturb levels of the user's channels from the server. Handlers are notified of the end by
    /// ``ChannelHandler/onRemoteChannelsSyncCompleted(_:)``.
    public static func syncRemoteChannels(completion: ((_ error: NCError?) -> Void)? = nil) {
        let engine = NCEngine.engine
        let confirm: Completion<Void> = engine.confirming(completion)
        let end: Completion<Void> = { result in
            let error: NCError? = if case .failure(let error) = result { error } else { nil }
            if let client = engine.client {
                let event = NCEvent.remoteChannelsSyncCompleted(RemoteChannelsSyncCompletedEvent(error: error))
                client.registry.chat.tell([event], of: client)
            }
            confirm(result)
        }
        engine.ask(.settings, completion: end) { client, answer throws(NCError) in
            guard let settings = answer.settings else { throw .strangeAnswer }
            try client.local { _, database throws(ChatDatabaseError) in
                for setting in settings.channels + settings.kinds { _ = try database.apply(.settings(setting)) }
            }
        }
    }

    private static func list(
        _ completion: (([BaseChannel]?, NCError?) -> Void)?,
        _ load: @escaping @Sendable (ChatDatabase) throws(ChatDatabaseError) -> [LocalChannel]
    ) {
        let engine = NCEngine.engine
        engine.local(engine.answering(completion)) { _, database throws(ChatDatabaseError) in
            try load(database).map { BaseChannel.make($0, engine) }
        }
    }
}

extension [NSNumber] {
    var channelTypes: [ChannelType] { compactMap { ChannelType(rawValue: $0.intValue) } }
}

extension NCError {
    static var noCommunities: NCError { NCError(.badArgument, reason: "The service does not support community channels.") }
}
