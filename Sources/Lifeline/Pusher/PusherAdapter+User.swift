import ConnectionEngine
import EngineRuntime
import Identifiers
import PusherProtocol
import WireCoding

// Messages to the signed-in user, as a channel. Rule LL-31.
extension PusherAdapter {
    /// Returns when the user is signed in and the user's channel is confirmed.
    func subscribeAsUser(_ channel: String) async throws(LifelineError) {
        guard signsIn else {
            throw LifelineError(.badRequest, "Messages to a user need a sign-in: configure user authentication for the service.")
        }
        // Opened before the sign-in state is read, so that the confirmation cannot be missed.
        let news = driver.notices.stream()
        do throws(ConnectionFailure) {
            _ = try await driver.perform(.signIn) { [state] result in
                guard case .success = result else { return }
                let (isThere, body) = state.withLockedValue { ($0.userChannel == channel, $0.body) }
                // The channel was confirmed before it was requested.
                if isThere { body?([.subscribed(channel: channel, members: nil, isRenewal: false)]) }
            }
        } catch {
            throw LifelineError(error)
        }
        let (user, isThere) = state.withLockedValue { ($0.user, $0.userChannel == channel) }
        guard user.map({ PusherChannelName.serverToUser($0) }) == channel else {
            throw LifelineError(.accessDenied, "Another user is signed in. A client gets its own user's messages only.")
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
        throw LifelineError(.cancelled, "The task was cancelled while subscribing.")
    }

    /// Remembers who is signed in, and whether the user's channel is confirmed.
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
