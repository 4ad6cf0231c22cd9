import NIOConcurrencyHelpers
import PubNubProtocol
import ServerRuntime

/// Answers all requests except polls, which may be held, and requests for the time.
struct PubNubRequestHandler: Sendable {
    let streams: any StreamBackend
    /// Counts the messages that were acknowledged through this server.
    let counts: NIOLockedValueBox<ApplicationCounts>

    /// The keyset that a request names.
    ///
    /// - Parameter isJudged: whether to check the access rights of the request.
    /// - Throws: the error answer when the keyset does not serve the request, or a right is missing.
    func application(
        for request: PubNubServerRequest, _ address: PubNubAddress, isJudged: Bool = true
    ) throws(PubNubErrorBody) -> PubNubApplication {
        guard let application = streams.application(subscribeKey: address.subscribeKey) else { throw .invalidSubscribeKey }
        if let refusal = application.refusal { throw refusal }
        if isJudged, application.keyset.requiresGrants,
            let refusal = PubNubAccess(application: application).refusal(of: request, address.route)
        {
            throw refusal
        }
        return application
    }

    /// Performs a request.
    func answer(
        _ request: PubNubServerRequest, _ route: PubNubRoute, of application: PubNubApplication, reply: @escaping HTTPReply
    ) {
        switch route {
        case .publish, .signal, .publishFile:
            PubNubPublishing(application: application, counts: counts).answer(request, route, reply: reply)
        case .file(let file): FileRequest(application: application, request: request).answer(file, reply: reply)
        default: PubNubREST(application: application).answer(request, route, reply: reply)
        }
    }
}
