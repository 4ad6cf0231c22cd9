import Foundation
import Identifiers
import NIOConcurrencyHelpers
import PusherProtocol

/// The channels of a connection, by name.
///
/// `@unchecked Sendable`: the table is behind `table`, a `NIOLockedValueBox`.
#if canImport(ObjectiveC)
    @objcMembers
#endif
open class PusherChannels: NSObject, @unchecked Sendable {
    private struct Table {
        var channels: [Identifier: PusherChannel] = [:]
        /// For each channel, the number of unsubscriptions whose end the engine has not reported yet.
        var endings: [Identifier: Int] = [:]
        /// The connection to which these channels belong.
        weak var owner: PusherConnection?

        mutating func noteRemoval(of name: String) {
            // Such a name was never subscribed for the app, so no end will be reported.
            if PusherChannelName.isReserved(name) { return }
            endings[Identifier(name), default: 0] += 1
        }
    }

    private let table = NIOLockedValueBox(Table())

    override init() {
        super.init()
    }

    /// All channels that are wanted, subscribed or not. Adding a channel subscribes it, removing one unsubscribes it (rule PA-52).
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
            // The former channels are released here, outside of the lock, because releasing an object that their callbacks hold may
            // run code that calls back.
            _ = replaced
        }
    }

    /// The channel with this name, or nil.
    public func find(name: String) -> PusherChannel? {
        table.withLockedValue { $0.channels[Identifier(name)] }
    }

    /// The presence channel with this name, or nil.
    public func findPresence(name: String) -> PusherPresenceChannel? {
        find(name: name) as? PusherPresenceChannel
    }

    /// The channel with this name; `make` supplies it when there is none.
    func findOrAdd(name: String, make: () -> PusherChannel) -> PusherChannel {
        table.withLockedValue { table in
            if let channel = table.channels[Identifier(name)] { return channel }
            let channel = make()
            table.channels[Identifier(name)] = channel
            return channel
        }
    }

    /// Removes a channel. Until the engine reports the end of the subscription, its reports about this name belong to it.
    func remove(name: String) -> PusherChannel? {
        table.withLockedValue { table in
            guard let channel = table.channels.removeValue(forKey: Identifier(name)) else { return nil }
            table.noteRemoval(of: name)
            return channel
        }
    }

    /// Replaces the channel of the same name, which is subscribed already.
    func put(_ channel: PusherChannel) {
        let former = table.withLockedValue { $0.channels.updateValue(channel, forKey: Identifier(channel.name)) }
        // Released outside the lock, because releasing a callback may run code that calls back.
        _ = former
    }

    /// Makes `owner` the connection that is informed of changes of ``channels``.
    func follow(_ owner: PusherConnection?) {
        table.withLockedValue { $0.owner = owner }
    }

    /// Treats the engine's reports about the name as reports of a former subscription, until the engine reports its end.
    func noteRemoval(of name: String) {
        table.withLockedValue { $0.noteRemoval(of: name) }
    }

    func takeEndings(from other: PusherChannels) {
        let endings = other.table.withLockedValue { $0.endings }
        table.withLockedValue { $0.endings.merge(endings, uniquingKeysWith: +) }
    }

    /// Records that the engine has reported the end of a subscription.
    func noteEnding(of name: String) {
        table.withLockedValue { table in
            guard let count = table.endings[Identifier(name)] else { return }
            table.endings[Identifier(name)] = count > 1 ? count - 1 : nil
        }
    }

    /// The channel to which the engine's reports about this name belong; nil when they belong to a former subscription.
    func live(_ name: String) -> PusherChannel? {
        table.withLockedValue { table in
            guard table.endings.isEmpty || table.endings[Identifier(name)] == nil else { return nil }
            return table.channels[Identifier(name)]
        }
    }
}

extension PusherChannels {
    /// The channel with this name, or nil. As ``find(name:)``, which some of Pusher's documentation writes without the label.
    #if canImport(ObjectiveC)
        @nonobjc
    #endif
    public func find(_ name: String) -> PusherChannel? {
        find(name: name)
    }

    /// The presence channel with this name, or nil. As ``findPresence(name:)``, which Pusher's README writes without the label.
    #if canImport(ObjectiveC)
        @nonobjc
    #endif
    public func findPresence(_ name: String) -> PusherPresenceChannel? {
        findPresence(name: name)
    }
}
