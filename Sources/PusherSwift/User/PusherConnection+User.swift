import ConnectionEngine
import PusherProtocol

// Signs users in and delivers their events on the callback queue (rules PA-67 to PA-70).
extension PusherConnection {
    func signIn() {
        commands.withLock {
            truth.update { $0.wantsUser = true }
            driver.submit(.perform(.signIn, nil))
        }
    }

    func signedIn() async throws(PusherSigninError) -> PusherSignedInUser {
        do throws(ConnectionFailure) {
            commands.withLock { truth.update { $0.wantsUser = true } }
            _ = try await driver.perform(.signIn)
        } catch {
            throw PusherSigninError(error)
        }
        guard let user = truth.values.user else {
            let reason = "The connection was lost right after signing in. The client signs in again after it has reconnected."
            throw PusherSigninError(ConnectionFailure(.disconnected, reason))
        }
        return user
    }

    func signOut() {
        commands.withLock {
            truth.update { ($0.wantsUser, $0.user) = (false, nil) }
            driver.submit(.perform(.signOut, nil))
        }
    }

    /// Whether events of the channel belong to the signed-in user, because the channel's name is reserved for the user.
    func isOfUser(_ channel: String) -> Bool {
        PusherChannelName.isReserved(channel) && truth.values.wantsUser
    }

    func deliver(signedIn user: PusherProtocol.PusherUser) {
        guard truth.values.wantsUser else { return }
        let data = "{\"user_data\":\(AnyJSON.quote(user.userData))}"
        handleEvent(event: PusherEvent(PusherEnvelope(event: "pusher:signin_success", data: data)))
        delegateBox.signedIn(user.id, user.userData)
    }

    func deliver(signInFailure failure: ConnectionFailure, body: String?) {
        let known = authorizations.takeProblem(of: "")
        guard truth.values.wantsUser else { return }
        let problem = known ?? SubscriptionProblem(failure, bodyText: body)
        log(.error, .signInFailed, rest: problem.failure.reason)
        let status = problem.failure.httpStatus.map { ",\"status\":\($0)" } ?? ""
        let data = "{\"type\":\"AuthError\",\"error\":\(AnyJSON.quote(problem.failure.reason))\(status)}"
        handleEvent(event: PusherEvent(PusherEnvelope(event: "pusher:signin_error", data: data)))
        delegateBox.failedToSignIn(problem)
    }

    func deliver(_ changes: [PusherWatchlistChange]) {
        guard truth.values.wantsUser else { return }
        for change in changes { user.watchlist.handle(PusherWatchlistEvent(name: change.name, userIds: change.userIDs)) }
    }
}

extension PusherSigninError {
    init(_ failure: ConnectionFailure) {
        self.init(message: failure.reason, category: failure.category.rawValue, status: failure.httpStatus)
    }
}
