import ConnectionEngine
import EngineRuntime
import Foundation
import PubNubProtocol
import WireCoding

// Methods that send files. Each returns at once; `block` is called on the callback queue.
extension PubNub {
    /// Uploads a file and notifies subscribers (rules PL-79 to PL-81).
    ///
    /// The file is encrypted when there is a cipher key. After the upload, the client tries up to
    /// ``PNConfiguration/fileMessagePublishRetryLimit`` times, once per second, to publish the message to subscribers.
    public func sendFile(with request: PNSendFileRequest, completion block: PNSendFileCompletionBlock? = nil) {
        sendFile(request.draft, block)
    }

    /// Notifies subscribers of a file that has already been uploaded.
    public func publishFileMessage(
        with request: PNPublishFileMessageRequest, completion block: PNPublishCompletionBlock? = nil
    ) {
        let file = PubNubFileName(channel: request.channel, id: request.identifier, name: request.filename)
        publishFileMessage(request.draft, file: file, then: block)
    }

    func publishFileMessage(_ draft: PublishDraft, file: PubNubFileName, then block: PNPublishCompletionBlock?) {
        start(.publishFileMessageOperation, extras: draft.extras) { () throws(PubNubProblem) in
            guard !file.id.isEmpty, !file.name.isEmpty else {
                throw .badArguments(
                    "The file's id or name is empty. Pass the id and the name that the upload of the file returned.")
            }
            let source = FileSource.data(Data())
            let job = try SendFileDraft(channel: draft.channel, name: file.name, source: source, message: draft).job(cipher)
            var call = try job.published(file)
            call.isReplicated = draft.isReplicated
            call.customType = draft.customType
            return call
        } then: {
            block?(PNPublishStatus($0))
        }
    }

    func sendFile(_ draft: SendFileDraft, _ block: PNSendFileCompletionBlock?) {
        let sink = block.map { CallerBlock($0) }
        let facts = ResultFacts(operation: .sendFileOperation, context: resultContext)
        let (source, line) = (source, line)
        @Sendable func finish(_ outcome: SentFile) {
            guard let sink else { return }
            let status = outcome.status(facts)
            let data = PNSendFileData(outcome.file, timetoken: outcome.timetoken)
            line.run { sink(PNSendFileStatus(status: status, data: data)) }
        }
        let job: SendFileJob
        do throws(PubNubProblem) { job = try draft.job(cipher) } catch { return finish(SentFile(problem: error)) }
        Task { finish(await source.send(job)) }
    }

}

extension CallSource {
    func send(_ job: SendFileJob) async -> SentFile {
        var sent = SentFile()
        do throws(PubNubProblem) {
            let upload = try await ask(PubNubUploadCall(channel: job.channel, name: job.name), job.query)
            try await self.upload(try job.content(), upload)
            sent.file = upload.file
            let call = try job.published(upload.file)
            sent.timetoken = try await publish(call, job.query).timetoken
        } catch {
            sent.problem = error
        }
        return sent
    }

    /// Posts the form with the file to the address that the service named, without headers of this client.
    private func upload(_ content: [UInt8], _ upload: PubNubUpload) async throws(PubNubProblem) {
        let boundary = "lifeline-\(UUID().uuidString)"
        let type = HTTPExchange.Header("Content-Type", "multipart/form-data; boundary=\(boundary)")
        let request = try CallRequest(
            method: "POST", url: upload.url, headers: [type], body: upload.form(content, boundary: boundary),
            timeout: configuration.subscribeTimeout)
        let answer = try await exchange(request)
        guard answer.isSuccess else {
            throw PubNubProblem(
                ConnectionFailure(
                    .unknown, "The upload of the file was refused. Check the file's size and the clock of this machine.",
                    origin: .server,
                    httpStatus: answer.status))
        }
    }

    private func publish(
        _ call: PubNubPublishFileCall, _ query: [PubNubRequest.Parameter]
    ) async throws(PubNubProblem) -> PubNubPublished {
        let limit = max(configuration.fileMessagePublishRetryLimit, 1)
        var attempt: UInt = 1
        while true {
            do throws(PubNubProblem) {
                return try await ask(call, query)
            } catch {
                // A cancelled call is not retried. The application has cancelled it, has moved to the background, or has released the
                // client (rule PL-100).
                if attempt >= limit || error.category == .cancelled { throw error }
            }
            attempt += 1
            // The wait ends with an error only if the call was cancelled. In this case the caller does not wait for an outcome any more.
            do { try await Task.sleep(for: configuration.fileMessageRetryPause) } catch {
                throw PubNubProblem(.cancelledByCaller)
            }
        }
    }
}

/// The progress of a call that sends a file: the uploaded file, the timetoken of the message about it, and the failure that ended the call.
struct SentFile: Sendable {
    /// The uploaded file; nil until the upload has succeeded.
    var file: PubNubFileName?
    var timetoken: Timetoken?
    var problem: PubNubProblem?

    /// The values of the status that the caller gets. A failure without a category of its own gets the category of the step that failed:
    /// uploading the file, or publishing the message about it.
    func status(_ facts: ResultFacts) -> StatusFacts {
        guard let problem else { return StatusFacts(result: facts, category: .PNAcknowledgmentCategory) }
        var status = StatusFacts(problem, facts: facts)
        if status.category == .PNUnknownCategory {
            status.category = file == nil ? .PNSendFileErrorCategory : .PNPublishFileMessageErrorCategory
        }
        return status
    }
}
