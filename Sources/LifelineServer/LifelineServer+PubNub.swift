import PubNubServer
import ServerStorage

// Methods for PubNub, for programs that embed a server.
extension LifelineServer {
    /// Publishes a message to a channel of a keyset, as PubNub's API does.
    ///
    /// - Parameters:
    ///   - subscribeKey: the keyset's subscribe key; by default that of the development keyset.
    ///   - channel: the channel's name.
    ///   - message: the message as JSON text.
    ///   - metadata: metadata as JSON text, which subscribers' filters can match; nil for none.
    ///   - user: the id of the publisher.
    /// - Returns: the message's timetoken, after the message was stored and became visible.
    /// - Throws: ``ServerError``.
    @discardableResult
    public func publish(
        subscribeKey: String = Keyset.development.subscribeKey, channel: String, message: String, metadata: String? = nil,
        user: String? = nil
    ) async throws -> UInt64 {
        do throws(PubNubPublishProblem) {
            return try await services.pubnub.publish(
                subscribeKey: subscribeKey, channel: channel, message: message, metadata: metadata, user: user)
        } catch {
            switch error {
            case .unknownKeyset: throw ServerError.unknownKeyset(subscribeKey: subscribeKey)
            case .invalid(let reason): throw ServerError.invalidMessage(reason)
            case .notStored: throw ServerError.notStored
            }
        }
    }

    /// Closes the connections of all held PubNub polls. The clients treat this as a lost connection and poll again.
    public func disconnectPolls() {
        services.pubnub.disconnectPolls()
    }
}
