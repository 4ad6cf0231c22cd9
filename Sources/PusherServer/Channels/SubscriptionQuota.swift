import Identifiers
import NIOConcurrencyHelpers
import ServerStorage

/// Counts the channels and subscriptions of each application against its limits (rule SP-66). May be used from any thread.
///
/// The key of an application is public, and public channels need no signature, so without this limit each connection could add its
/// own limit of channels to the tables of the server.
final class SubscriptionQuota: Sendable {
    private struct Count {
        var channels = 0
        var subscriptions = 0
    }

    private let counts = NIOLockedValueBox<[Identifier: Count]>([:])

    /// Counts a subscription, and its channel if it is new. Throws without counting when a limit is reached.
    func open(_ application: Application, isNewChannel: Bool) throws(SubscribeRefusal) {
        let limits = application.limits
        let refusal: SubscribeRefusal? = counts.withLockedValue { counts in
            var count = counts[Identifier(application.id)] ?? Count()
            guard count.subscriptions < limits.subscriptions else { return .tooManySubscriptions(limit: limits.subscriptions) }
            guard !isNewChannel || count.channels < limits.channels else { return .tooManyChannels(limit: limits.channels) }
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
            counts[Identifier(application.id), default: Count()].subscriptions += 1
            if isNewChannel { counts[Identifier(application.id), default: Count()].channels += 1 }
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
