import ConnectionEngine
import EngineRuntime
import Identifiers
import PusherProtocol
import WireCoding

// Subscribing to messages for the signed-in user, which arrive on the user's own channel. Rule LL-31.
extension PusherAdapter {
    /// Signs in. Returns when the service has confirmed the user and the user's channel.
    func subscribeAsUser(_ channel: String) async throws(LifelineError) {
        guard signsIn else {
            throw LifelineError(.badRequest, "Messages to a user need a sign-in: pass `signIn` to `pusher(…)`.")
        }
        // The stream is opened before the sign-in state is read, so that the confirmation cannot be missed.
        let news = driver.notices.stream()
        do throws(ConnectionFailure) {
            _ = try await driver.perform(.signIn) { [state] result in
                guard case .success = result else { return }
                let (isThere, body) = state.withLockedValue { ($0.userChannel == channel, $0.body) }
                // The service confirmed the channel before the room was requested, so the confirmation is reported here.
                if isThere { body?([.subscribed(channel: channel, members: nil, isRenewal: false)]) }
            }
        } catch {
            throw LifelineError(error)
        }
        let (user, isThere) = state.withLockedValue { ($0.user, $0.userChannel == channel) }
        guard user.map({ PusherChannelName.serverToUser($0) }) == channel else {
            throw LifelineError(.accessDenied, "Another user is signed in. A client receives only the messages to its own user.")
        }
        if isThere { return }
        for await notice in news {
            switch notice {
            case .event(.subscribed(let confirmed)) where confirmed.channel == channel: return
            case .event(.subscriptionFailed(channel, let failure, _, willRetry: false)): throw LifelineError(failure)
            case .change(let change) where change.phase.isTerminal:
                throw change.cause.map { LifelineError($0) } ?? LifelineError(.disconnectedOnRequest)
            default: continue
            }
        }
        throw LifelineError(.cancelled, "The task was cancelled while it was subscribing.")
    }

    /// Records the signed-in user, the confirmed channel of that user, and this client's member ids.
    static func note(_ notices: [Notice<PusherSession>], in state: inout State) {
        for notice in notices {
            switch notice {
            case .change(let change) where change.phase != .connected: state.userChannel = nil
            case .event(.signedIn(let user)): state.user = user.id
            case .event(.subscribed(let confirmed)):
                if PusherChannelName.isReserved(confirmed.channel) { state.userChannel = confirmed.channel }
                if let myID = confirmed.myID { state.myIDs[confirmed.channel] = myID }
            default: continue
            }
        }
    }
}
