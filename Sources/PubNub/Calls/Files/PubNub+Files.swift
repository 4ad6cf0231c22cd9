import ConnectionEngine
import EngineRuntime
import Foundation
import PubNubProtocol

// Methods that list, download and delete files. Each returns at once; `block` is called on the callback queue.
extension PubNub {
    /// Requests one page of the files of a channel.
    public func listFiles(with request: PNListFilesRequest, completion block: @escaping PNListFilesCompletionBlock) {
        listFiles(
            request.channel, limit: request.limit, next: request.next, query: request.arbitraryQueryParameters, block)
    }

    /// Returns the download URL of a file. The URL contains the auth key when the client has one, so do not log it.
    ///
    /// - Returns: nil when the client's origin does not form a URL.
    public func downloadURLForFile(withName name: String, identifier: String, inChannel channel: String) -> URL? {
        configuration.fileURL(id: identifier, name: name, channel: channel)
    }

    /// Downloads a file, and decrypts the content when there is a cipher key.
    public func downloadFile(with request: PNDownloadFileRequest, completion block: @escaping PNDownloadFileCompletionBlock) {
        let file = PubNubFileName(channel: request.channel, id: request.identifier, name: request.name)
        downloadFile(
            file, to: request.targetURL, cipherKey: request.cipherKey, query: request.arbitraryQueryParameters, block)
    }

    /// Deletes a file.
    public func deleteFile(with request: PNDeleteFileRequest, completion block: PNDeleteFileCompletionBlock? = nil) {
        let file = PubNubFileName(channel: request.channel, id: request.identifier, name: request.name)
        deleteFile(file, query: request.arbitraryQueryParameters, block)
    }

    func listFiles(
        _ channel: String, limit: UInt, next: String?, query: [AnyHashable: Any]?, _ block: @escaping PNListFilesCompletionBlock
    ) {
        let values = configuration
        startForResult(.listFilesOperation, extras: CallExtras(query: query)) {
            PubNubListFilesCall(channel: channel, limit: limit > 0 ? Int(clamping: limit) : nil, next: next)
        } result: { facts, listed in
            PNListFilesResult(
                facts,
                PNListFilesData(listed) { values.fileURL(id: $0.id, name: $0.name, channel: $0.channel) })
        } then: {
            block($0, $1)
        }
    }

    func deleteFile(_ file: PubNubFileName, query: [AnyHashable: Any]?, _ block: PNDeleteFileCompletionBlock?) {
        startForAcknowledgment(.deleteFileOperation, extras: CallExtras(query: query)) {
            PubNubDeleteFileCall(file: file)
        } then: {
            block?($0)
        }
    }

    func downloadFile(
        _ file: PubNubFileName, to target: URL?, cipherKey: String?, query: [AnyHashable: Any]?,
        _ block: @escaping PNDownloadFileCompletionBlock
    ) {
        download(
            DownloadJob(
                file: file, target: target, cipher: cipherKey.map { PubNubCipher(key: $0) } ?? cipher,
                query: QueryArguments.parameters(query)),
            CallerBlock { block($0.0, $0.1) })
    }

    private func download(_ job: DownloadJob, _ sink: CallerBlock<(PNDownloadFileResult?, PNErrorStatus?)>) {
        let facts = ResultFacts(operation: .downloadFileOperation, context: resultContext)
        let (source, line) = (source, line)
        let retry: @Sendable () -> Void = { [weak self] in
            if let self {
                self.download(job, sink)
            } else {
                let gone = StatusFacts(PubNubProblem(.cancelledByCaller), facts: facts)
                line.run { sink((nil, PNErrorStatus(status: gone))) }
            }
        }
        Task {
            do throws(PubNubProblem) {
                let bytes = try await source.content(job)
                let data = PNDownloadFileData(isTemporary: job.target == nil, location: try job.write(bytes))
                line.run { sink((PNDownloadFileResult(facts, data), nil)) }
            } catch {
                var status = StatusFacts(error, facts: facts, retry: retry)
                if status.category == .PNUnknownCategory { status.category = .PNDownloadErrorCategory }
                let failed = status
                line.run { sink((nil, PNErrorStatus(status: failed))) }
            }
        }
    }
}

extension CallSource {
    /// Downloads the content of a file and decrypts it with `cipher`.
    func content(of file: PubNubFileName, cipher: PubNubCipher?) async throws(PubNubProblem) -> [UInt8] {
        try await content(DownloadJob(file: file, target: nil, cipher: cipher, query: []))
    }

    /// Downloads a file. The service answers with the file or with a redirect. The request to the address of a redirect has none of the
    /// client's headers, keys and ids.
    fileprivate func content(_ job: DownloadJob) async throws(PubNubProblem) -> [UInt8] {
        let values = configuration
        var request = try assemble(DownloadQuestion(file: job.file), values: values, extra: job.query, compresses: false)
        request.timeout = values.subscribeTimeout
        for _ in 0..<3 {
            let answer = try await exchange(request)
            if answer.isSuccess { return try job.opened(answer.body) }
            guard (300..<400).contains(answer.status), let place = answer.first("Location") else {
                let head = HTTPAnswerHead(status: answer.status, contentType: answer.first("Content-Type"), retryAfter: nil)
                throw answer.body.withUnsafeBytes { PubNubProblem(head, body: $0) }
                    ?? .malformed(
                        "The service's answer to the download is neither a file nor a redirect to a file.", status: answer.status)
            }
            request = try CallRequest(method: "GET", url: place, timeout: values.subscribeTimeout)
        }
        throw .malformed("The file was not downloaded, because the service sent three redirects in a row. Check the origin.")
    }
}

/// The call that requests a file. Its answer is the unchanged body of the service's answer, which `DownloadJob` decrypts.
private struct DownloadQuestion: PubNubCall {
    let file: PubNubFileName

    func request(_ settings: PubNubSettings) throws(PubNubProblem) -> PubNubRequest { try file.download(settings) }

    func answer(_ body: [UInt8]) throws(PubNubProblem) -> [UInt8] { body }
}

/// The arguments of a download, as a value that any thread may use.
private struct DownloadJob: Sendable {
    var file: PubNubFileName
    /// The location at which the file is stored; nil for a new file in the directory for temporary files.
    var target: URL?
    var cipher: PubNubCipher?
    var query: [PubNubRequest.Parameter]

    func opened(_ bytes: [UInt8]) throws(PubNubProblem) -> [UInt8] {
        guard let cipher else { return bytes }
        do {
            return try cipher.decrypt(file: bytes)
        } catch {
            throw PubNubProblem(
                ConnectionFailure(.decryptionFailed, "The downloaded file could not be decrypted. Check the cipher key."))
        }
    }

    /// Writes the file atomically: no reader sees an incomplete file.
    func write(_ bytes: [UInt8]) throws(PubNubProblem) -> URL {
        let place =
            target
            ?? FileManager.default.temporaryDirectory.appendingPathComponent("pubnub-\(UUID().uuidString)", isDirectory: false)
        do {
            try Data(bytes).write(to: place, options: .atomic)
        } catch {
            throw .badArguments(
                "The downloaded file cannot be written to the given location. Check that the directory exists and is writable.")
        }
        return place
    }
}
