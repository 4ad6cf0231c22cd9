import Identifiers
import PubNubProtocol
import ServerRuntime

/// Answers all requests except subscribe, publish and time.
struct PubNubREST: Sendable {
    let application: PubNubApplication

    /// The user or client address against whose share of the limits the additions of a request count (rule PV-180); nil when they count
    /// against no share.
    func owner(of request: PubNubServerRequest) -> Identifier? { PubNubAccess(application: application).owner(of: request) }

    func answer(_ request: PubNubServerRequest, _ route: PubNubRoute, reply: @escaping HTTPReply) {
        do throws(PubNubErrorBody) {
            switch route {
            case .addAction(let channel, let message):
                if let answer = addAction(request, channel: channel, message: message, reply: reply) { reply(answer) }
                return
            case .removeAction(let channel, let message, let action):
                if let answer = removeAction(request, channel: channel, message: message, action: action, reply: reply) {
                    reply(answer)
                }
                return
            case .objects(let route): return answer(request, route, reply: reply)
            default:
                if let answer = try immediate(request, route) { return reply(answer) }
            }
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

    /// Answers a request that needs no access to the store; nil when the request has to wait for the store.
    private func immediate(_ request: PubNubServerRequest, _ route: PubNubRoute) throws(PubNubErrorBody) -> HTTPAnswer? {
        switch route {
        case .heartbeat, .leave, .setState:
            try presenceChange(request, route).flatMap { $0.isLong ? nil : $0.perform(on: application) }
        case .hereNow(let channels): try hereNow(request, channels)
        case .whereNow(let user): whereNow(user)
        case .state(let channels, let user): try state(request, channels, of: user)
        case .groups: groups()
        case .actions(let channel): actions(request, channel)
        case .grantToken: try grantToken(request)
        case .audit: try audit(request)
        case .time, .subscribe, .publish, .signal, .publishFile, .pastMessages, .history, .historyWithActions, .deleteHistory,
            .counts, .group, .removeGroup, .addAction, .removeAction, .revokeToken, .grant, .hereNowEverywhere, .objects,
            .pushChannels, .removeDevice, .file:
            nil
        }
    }

    private func stored(_ request: PubNubServerRequest, _ route: PubNubRoute) async throws(PubNubErrorBody) -> HTTPAnswer {
        if let change = try presenceChange(request, route) { return await change.performInSlices(on: application) }
        switch route {
        case .hereNowEverywhere: return hereNowEverywhere(request)
        case .pastMessages(let channel): return try await pastMessages(request, channel)
        case .history(let channels): return try await history(request, channels)
        case .historyWithActions(let channel): return try await historyWithActions(request, channel)
        case .deleteHistory(let channel): return try await deleteHistory(request, channel)
        case .counts(let channels): return try await counts(request, channels)
        case .group(let name): return try await group(name, request)
        case .removeGroup(let name): return try await removeGroup(name, request)
        case .pushChannels(let interface, let token): return try await push(request, interface, token: token, isRemoval: false)
        case .removeDevice(let interface, let token): return try await push(request, interface, token: token, isRemoval: true)
        case .revokeToken(let token): return try await revokeToken(request, token)
        case .grant: return try await grant(request)
        default: throw .plain(404, "Not Found")
        }
    }
}
