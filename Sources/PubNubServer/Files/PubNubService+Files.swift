import Identifiers
import NIOHTTP1
import ServerRuntime

// The properties of a request that only the files service needs: the address of the server that the client uses, and the content type of
// the body.
extension PubNubService {
    private static let start = Array("/v1/files/".utf8)
    private static let counted = ["/v1/channel-registration/", "/v1/push/", "/v2/push/", "/v2/presence/"].map { Array($0.utf8) }
    private static let publish = Array("/v1/files/publish-file/".utf8)

    package func needsFields(of target: UnsafeRawBufferPointer) -> Bool {
        if target.starts(with: Self.start) { return !target.starts(with: Self.publish) }
        // Behind a proxy, only the header fields contain the client's address. Requests that add data need this address, because the data
        // counts against the share of the address. Polls are parsed without header fields.
        return context.settings.trustsProxyHeaders && Self.counted.contains { target.starts(with: $0) }
    }

    /// The size limit of a request body: for an upload, at least the keyset's largest file and the form around it.
    package func bodyLimit(_ segments: [String], _ limit: Int) -> Int {
        guard Self.isUpload(segments), let application = application(subscribeKey: segments[2]) else {
            return limit
        }
        return max(limit, application.keyset.fileBytes + FileRequest.formBytes)
    }

    package func bodyApplication(_ segments: [String]) -> String? {
        Self.isUpload(segments) ? application(subscribeKey: segments[2])?.subscribeKey : nil
    }

    package func refusal(_ problem: HTTPProblem, of segments: [String]) -> HTTPAnswer {
        Self.isUpload(segments) ? FileBodies.uploadRefusal(problem) : refusal(problem)
    }

    private static func isUpload(_ segments: [String]) -> Bool {
        segments.count == 4 && segments[0] == "v1" && segments[1] == "files" && segments[3] == "upload"
    }

    func answer(
        _ request: PubNubServerRequest, _ route: PubNubFileRoute, of application: PubNubApplication, fields: HTTPHeaders,
        for connection: HTTPConnection
    ) {
        var request = request
        request.base = connection.base(fields)
        let keeper: any FileKeeper
        switch route {
        case .upload, .content: keeper = cluster?.files(of: application) ?? application.files
        case .generateUpload, .list, .file, .delete:
            // In a cluster the leader answers these requests, because only the leader has the list of files.
            guard cluster == nil else { return perform(request, .file(route), of: application, for: connection) }
            keeper = application.files
        }
        let files = FileRequest(
            application: application, request: request, keeper: keeper,
            boundary: fields.first(name: "content-type").flatMap(MultipartForm.boundary), bodies: context.bodies,
            owner: connection.bodyOwner(fields, application: application.subscribeKey))
        files.answer(route, reply: connection.expectAnswer())
    }
}
