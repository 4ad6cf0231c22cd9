import PubNubProtocol

/// Answers everything but subscribing, publishing and the time.
struct PubNubREST: Sendable {
    let application: PubNubApplication

    func answer(_ request: PubNubServerRequest, _ route: PubNubRoute, reply: @escaping PubNubReply) {
        do throws(PubNubErrorBody) {
            if let answer = try immediate(request, route) { return reply(answer) }
        } catch {
            return reply(HTTPAnswer(error))
        }
        Task {
            do throws(PubNubErrorBody) {
                reply(try await stored(request, route))
            } catch {
                reply(HTTPAnswer(error))
            }
        }
    }

    /// What needs nothing but memory; nil for what has to wait for the store.
    private func immediate(_ request: PubNubServerRequest, _ route: PubNubRoute) throws(PubNubErrorBody) -> HTTPAnswer? {
        switch route {
        case .heartbeat(let channels): try heartbeat(request, channels)
        case .leave(let channels): try leave(request, channels)
        case .hereNow(let channels): hereNow(request, channels)
        case .hereNowEverywhere: hereNowEverywhere(request)
        case .whereNow(let user): whereNow(user)
        case .state(let channels, let user): state(request, channels, of: user)
        case .setState(let channels, let user): try setState(request, channels, of: user)
        case .groups: groups()
        case .actions(let channel): actions(request, channel)
        case .addAction(let channel, let message): addAction(request, channel, message)
        case .removeAction(let channel, let message, let action): removeAction(request, channel, message, action)
        case .grantToken: try grantToken(request)
        case .audit: try audit(request)
        case .time, .subscribe, .publish, .signal, .pastMessages, .history, .historyWithActions, .deleteHistory, .counts, .group,
            .removeGroup, .revokeToken, .grant:
            nil
        }
    }

    private func stored(_ request: PubNubServerRequest, _ route: PubNubRoute) async throws(PubNubErrorBody) -> HTTPAnswer {
        switch route {
        case .pastMessages(let channel): return try await pastMessages(request, channel)
        case .history(let channels): return try await history(request, channels)
        case .historyWithActions(let channel): return try await historyWithActions(request, channel)
        case .deleteHistory(let channel): return try await deleteHistory(request, channel)
        case .counts(let channels): return try await counts(request, channels)
        case .group(let name): return try await group(name, request)
        case .removeGroup(let name): return try await removeGroup(name)
        case .revokeToken(let token): return try await revokeToken(request, token)
        case .grant: return try await grant(request)
        default: throw .plain(404, "Not Found")
        }
    }
}
