import PusherProtocol

// The methods that authenticate a user who signs in (rules PA-67 and PA-68).
extension AuthorizationRunner {
    func authenticate(_ job: PusherAuthorizeJob, on connection: PusherConnection, pending: PendingAuthorization) {
        switch connection.options.userAuthentication {
        case .noMethod:
            pending.finish(.failure(.noUserMethod))
        case .endpoint(let text):
            ask(endpoint: text, for: job, pending)
        case .inline, .authRequestBuilder, .authenticator:
            queue.async { [weak self, weak connection] in
                guard !pending.isOver, let connection else { return }
                self?.askApp(whoIs: job, connection, pending)
            }
        }
    }

    /// Calls the app's authenticator or request builder. Runs on the callback queue.
    private func askApp(whoIs job: PusherAuthorizeJob, _ connection: PusherConnection, _ pending: PendingAuthorization) {
        switch connection.options.userAuthentication {
        case .inline(let secret, let watchlist):
            guard let member = connection.userDataFetcher?() else {
                pending.finish(.failure(.noUser))
                return
            }
            let signer = InlineSigner(key: connection.key, secret: secret)
            pending.finish(signer.authenticate(socketID: job.socketID, member: member, watchlist: watchlist))
        case .authRequestBuilder(let builder):
            guard let request = builder.requestFor(socketID: job.socketID).flatMap({ AuthorizationRequest($0) }) else {
                pending.finish(.failure(.noUserRequest))
                return
            }
            send(request, for: job, connection, pending)
        case .authenticator(let authenticator):
            authenticator.fetchUserAuthValue(socketID: job.socketID) { auth in
                let authorization = auth.map { PusherAuthorization(auth: $0.auth, userData: $0.userData) }
                pending.finish(authorization.map { .success($0) } ?? .failure(.noUserAuth))
            }
        case .endpoint, .noMethod:
            // The app has changed `userAuthentication` after this sign-in was started, so it fails.
            pending.finish(.failure(.noUserMethod))
        }
    }
}
