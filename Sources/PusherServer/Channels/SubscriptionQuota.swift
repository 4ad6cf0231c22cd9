import Identifiers
import NIOConcurrencyHelpers
import ServerStorage

/// Counts the channels and subscriptions of each application against its limits (rule SP-66). May be used from any thread.
///
/// The key of an application is public, and public channels need no signature, so anybody can open many connections. Without this limit,
/// each of them could add as many channels to the tables of the server as one connection may have.
final class SubscriptionQuota: Sendable {
    private let counts = NIOLockedValueBox<[Identifier: ChannelUse]>([:])

    /// The numbers of channels and subscriptions of each application that has any.
    var uses: [Identifier: ChannelUse] { counts.withLockedValue { $0 } }

    /// Counts a subscription, and its channel if it is new. Throws without counting when a limit is reached.
    ///
    /// - Parameter elsewhere: the application's channels and subscriptions in other partitions of the cluster.
    func open(_ application: Application, isNewChannel: Bool, elsewhere: ChannelUse = .init()) throws(SubscribeRefusal) {
        let limits = application.limits
        let refusal: SubscribeRefusal? = counts.withLockedValue { counts in
            var count = counts[Identifier(application.id)] ?? ChannelUse()
            var total = count
            total += elsewhere
            guard total.subscriptions < limits.subscriptions else { return .tooManySubscriptions(limit: limits.subscriptions) }
            guard !isNewChannel || total.channels < limits.channels else { return .tooManyChannels(limit: limits.channels) }
            count.subscriptions += 1
            if isNewChannel { count.channels += 1 }
            counts[Identifier(application.id)] = count
            return nil
        }
        if let refusal { throw refusal }
    }

    /// Counts an existing subscription, even beyond the limits.
    func restore(_ application: Application, isNewChannel: Bool) {
        counts.withLockedValue { counts in
            counts[Identifier(application.id), default: ChannelUse()].subscriptions += 1
            if isNewChannel { counts[Identifier(application.id), default: ChannelUse()].channels += 1 }
        }
    }

    func close(_ application: Application, isChannelGone: Bool) {
        counts.withLockedValue { counts in
            guard var count = counts[Identifier(application.id)] else { return }
            count.subscriptions -= 1
            if isChannelGone { count.channels -= 1 }
            counts[Identifier(application.id)] = count.subscriptions > 0 ? count : nil
        }
    }
}
