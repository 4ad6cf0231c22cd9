import Foundation
import Identifiers
import NIOConcurrencyHelpers
import PusherProtocol

/// The channels of a connection, by name.
///
/// `@unchecked Sendable`: the channels are protected by `table`, a `NIOLockedValueBox`.
#if canImport(ObjectiveC)
    @objcMembers
#endif
open class PusherChannels: NSObject, @unchecked Sendable {
    private struct Table {
        var channels: [Identifier: PusherChannel] = [:]
        /// For each channel name, how many calls to unsubscribe are still to be carried out by the engine.
        var endings: [Identifier: Int] = [:]
        /// The connection to which these channels belong.
        weak var owner: PusherConnection?

        mutating func noteRemoval(of name: String) {
            // Names that begin with `#` are reserved. The app cannot subscribe to a channel with such a name, so the engine never reports
            // the end of such a subscription.
            if PusherChannelName.isReserved(name) { return }
            endings[Identifier(name), default: 0] += 1
        }
    }

    private let table = NIOLockedValueBox(Table())

    override init() {
        super.init()
    }

    /// All channels of the client, also those that the server has not confirmed yet. Adding a channel subscribes to it, removing a channel
    /// unsubscribes from it (rule PA-52).
    open var channels: [String: PusherChannel] {
        get { table.withLockedValue { Dictionary($0.channels.map { ($0.key.text, $0.value) }) { first, _ in first } } }
        set {
            guard let owner = table.withLockedValue({ $0.owner }) else {
                table.replace(\.channels, with: Dictionary(newValue.map { (Identifier($0.key), $0.value) }) { first, _ in first })
                return
            }
            let replaced = owner.commands.withLock { () -> [String: PusherChannel] in
                let former = channels
                table.replace(\.channels, with: Dictionary(newValue.map { (Identifier($0.key), $0.value) }) { first, _ in first })
                owner.tableChanged(in: self, from: former, to: newValue)
                return former
            }
            // The former channels are released here, outside of the lock, together with the objects that their callbacks hold. The `deinit`
            // of such an object may call the client.
            _ = replaced
        }
    }

    /// The channel with this name; nil if there is none.
    public func find(name: String) -> PusherChannel? {
        table.withLockedValue { $0.channels[Identifier(name)] }
    }

    /// The presence channel with this name; nil if there is none.
    public func findPresence(name: String) -> PusherPresenceChannel? {
        find(name: name) as? PusherPresenceChannel
    }

    /// Returns the channel with this name. If there is none, adds and returns the channel that `make` creates.
    func findOrAdd(name: String, make: () -> PusherChannel) -> PusherChannel {
        table.withLockedValue { table in
            if let channel = table.channels[Identifier(name)] { return channel }
            let channel = make()
            table.channels[Identifier(name)] = channel
            return channel
        }
    }

    /// Removes a channel. Until the engine has carried out the unsubscription, events with this channel name belong to the removed channel
    /// and are not delivered.
    func remove(name: String) -> PusherChannel? {
        table.withLockedValue { table in
            guard let channel = table.channels.removeValue(forKey: Identifier(name)) else { return nil }
            table.noteRemoval(of: name)
            return channel
        }
    }

    /// Puts `channel` into the table in place of the channel object with the same name. The subscription at the server is not changed.
    func put(_ channel: PusherChannel) {
        let former = table.withLockedValue { $0.channels.updateValue(channel, forKey: Identifier(channel.name)) }
        // The former channel is released here, outside of the lock, because releasing a callback may run code that calls the client.
        _ = former
    }

    /// Sets the connection that subscribes and unsubscribes when the app assigns ``channels``; nil when this table is no longer used by a
    /// connection.
    func follow(_ owner: PusherConnection?) {
        table.withLockedValue { $0.owner = owner }
    }

    /// Records that a channel was unsubscribed. Until the engine has carried out the unsubscription, events with this channel name belong
    /// to the former channel and are not delivered.
    func noteRemoval(of name: String) {
        table.withLockedValue { $0.noteRemoval(of: name) }
    }

    func takeEndings(from other: PusherChannels) {
        let endings = other.table.withLockedValue { $0.endings }
        table.withLockedValue { $0.endings.merge(endings, uniquingKeysWith: +) }
    }

    /// Records that the engine has reported the end of a channel's subscription.
    func noteEnding(of name: String) {
        table.withLockedValue { table in
            guard let count = table.endings[Identifier(name)] else { return }
            table.endings[Identifier(name)] = count > 1 ? count - 1 : nil
        }
    }

    /// The channel that gets the engine's events for this name; nil when the events belong to a former subscription or there is no channel.
    func live(_ name: String) -> PusherChannel? {
        table.withLockedValue { table in
            guard table.endings.isEmpty || table.endings[Identifier(name)] == nil else { return nil }
            return table.channels[Identifier(name)]
        }
    }
}

extension PusherChannels {
    /// The same as ``find(name:)``, without the label, as in some of Pusher's documentation.
    #if canImport(ObjectiveC)
        @nonobjc
    #endif
    public func find(_ name: String) -> PusherChannel? {
        find(name: name)
    }

    /// The same as ``findPresence(name:)``, without the label, as in Pusher's README.
    #if canImport(ObjectiveC)
        @nonobjc
    #endif
    public func findPresence(_ name: String) -> PusherPresenceChannel? {
        findPresence(name: name)
    }
}
