import Foundation
import NIOConcurrencyHelpers

/// The channels of a connection, by name.
///
/// `@unchecked Sendable`: the table is behind `table`, a `NIOLockedValueBox`.
#if canImport(ObjectiveC)
    @objcMembers
#endif
open class PusherChannels: NSObject, @unchecked Sendable {
    private let table = NIOLockedValueBox<[String: PusherChannel]>([:])

    override init() {
        super.init()
    }

    /// All channels that are wanted, subscribed or not.
    open var channels: [String: PusherChannel] {
        get { table.withLockedValue { $0 } }
        set { table.replace(\.self, with: newValue) }
    }

    /// The channel with this name, or nil.
    public func find(name: String) -> PusherChannel? {
        table.withLockedValue { $0[name] }
    }

    /// The presence channel with this name, or nil.
    public func findPresence(name: String) -> PusherPresenceChannel? {
        find(name: name) as? PusherPresenceChannel
    }

    /// The channel with this name; `make` supplies it when there is none.
    func findOrAdd(name: String, make: () -> PusherChannel) -> PusherChannel {
        table.withLockedValue { table in
            if let channel = table[name] { return channel }
            let channel = make()
            table[name] = channel
            return channel
        }
    }

    func remove(name: String) -> PusherChannel? {
        table.withLockedValue { $0.removeValue(forKey: name) }
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
