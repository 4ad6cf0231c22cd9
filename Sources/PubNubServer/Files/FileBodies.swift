import Identifiers
import PubNubProtocol
import ServerRuntime
import ServerValues
import WireCoding

/// The answers of the files service. Refusals of uploads are XML, because SDKs expect the format of the storage behind PubNub's service.
enum FileBodies {
    private static func answer(_ status: Int, _ body: [UInt8]) -> HTTPAnswer {
        var answer = HTTPAnswer(status: status, .json, body)
        answer.hasRecordedFields = true
        return answer
    }

    static func refusal(_ status: Int, _ message: String) -> HTTPAnswer {
        answer(
            status,
            JSONBody.object { body in
                body.member("status", status)
                body.key("error")
                body.object { body in
                    body.member("message", message)
                    body.member("source", "Files")
                }
            })
    }

    static let notHere = refusal(404, "File not found")
    static let unavailable = refusal(503, "Service Unavailable")

    /// The answer with the address and the form fields for the upload of a file.
    ///
    /// - Parameters:
    ///   - url: the address that accepts the form.
    ///   - fields: the form fields in the order in which the client has to send them before the file.
    static func upload(_ upload: FileTicket.Upload, url: String, fields: [(key: String, value: String)]) -> HTTPAnswer {
        answer(
            200,
            JSONBody.object { body in
                body.member("status", 200)
                body.key("data")
                body.object { body in
                    body.member("id", upload.id.text)
                    body.member("name", upload.name.text)
                }
                body.key("file_upload_request")
                body.object { body in
                    body.member("url", url)
                    body.member("method", "POST")
                    body.member("expiration_date", ISOTime.text(unixSeconds: upload.expires))
                    body.key("form_fields")
                    body.array { body in
                        for field in fields {
                            body.object { body in
                                body.member("key", field.key)
                                body.member("value", field.value)
                            }
                        }
                    }
                }
            })
    }

    static func list(_ files: [StoredFile], next: FilePlace?) -> HTTPAnswer {
        answer(
            200,
            JSONBody.object { body in
                body.member("status", 200)
                body.key("data")
                body.array { body in
                    for file in files {
                        body.object { body in
                            body.member("name", file.name.text)
                            body.member("id", file.id.text)
                            body.member("size", file.size)
                            body.member(
                                "created", ISOTime.text(unixSeconds: Int(file.created / TimetokenClock.ticksPerSecond)))
                        }
                    }
                }
                body.key("next")
                if let next { body.string(next.cursor) } else { body.json("null") }
                body.member("count", files.count)
            })
    }

    static let deleted = answer(200, Array(#"{"status":200}"#.utf8))

    /// Redirects a request for a file to the address of the file's content.
    ///
    /// - Parameter url: the address; it must not contain line breaks.
    static func found(at url: String) -> HTTPAnswer {
        var answer = HTTPAnswer(status: 307, .text, [])
        answer.hasRecordedFields = true
        // The field name is written exactly `Location`, because PubNub's library for PHP recognizes no other spelling.
        answer.fields = [("Location", url), ("cache-control", "no-store")]
        return answer
    }

    /// The answer with a file's content. Its header fields make browsers use only the given type and never display the content within a
    /// page of this server.
    static func content(_ content: [UInt8], name: Identifier, reservation: BodyReservation?) -> HTTPAnswer {
        var answer = HTTPAnswer(status: 200, FileType.of(name), content)
        answer.hasRecordedFields = true
        answer.fields = [("x-content-type-options", "nosniff"), ("content-disposition", "attachment")]
        answer.reservation = reservation
        return answer
    }

    // MARK: Uploads

    /// The answer to an accepted upload.
    static let taken: HTTPAnswer = {
        var answer = HTTPAnswer(status: 204, .text, [])
        answer.hasRecordedFields = true
        return answer
    }()

    /// - Parameters:
    ///   - code: the error code that the storage behind PubNub's service uses.
    ///   - message: a constant text without characters that XML escapes.
    static func uploadRefusal(_ status: Int, code: String, message: String) -> HTTPAnswer {
        let xml =
            "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<Error><Code>\(code)</Code><Message>\(message)</Message></Error>"
        var answer = HTTPAnswer(status: status, HTTPAnswer.ContentType(rawValue: "application/xml"), Array(xml.utf8))
        answer.hasRecordedFields = true
        return answer
    }

    static let malformedForm = uploadRefusal(
        400, code: "MalformedPOSTRequest",
        message: "The body is not a multipart form that contains the upload fields followed by the file.")
    static let tooLarge = uploadRefusal(
        400, code: "EntityTooLarge", message: "Your proposed upload exceeds the maximum allowed size")
    static let wrongSignature = uploadRefusal(
        403, code: "SignatureDoesNotMatch",
        message: "The policy and signature of the form are not those that this server has issued for the upload.")
    static let expired = uploadRefusal(
        403, code: "AccessDenied", message: "The upload form has expired, or its file was deleted. Request a new upload form.")
    static let shareUsed = uploadRefusal(
        403, code: "QuotaExceeded",
        message:
            "One address has uploaded half of the files or bytes that the keyset may store. Delete files, or try again tomorrow.")
    static let noRoom = uploadRefusal(
        403, code: "QuotaExceeded",
        message: "The keyset has reached its limit of files or bytes. Delete files, then upload again.")
    static let notStored = uploadRefusal(
        503, code: "ServiceUnavailable", message: "The server could not store the file. Try again later.")

    /// The answer to an upload that is refused before its form is read.
    static func uploadRefusal(_ problem: HTTPProblem) -> HTTPAnswer {
        var answer =
            switch problem.status {
            case 413: tooLarge
            case 503:
                uploadRefusal(
                    503, code: "SlowDown", message: "The server accepts no more uploads at the moment. Try again later.")
            default:
                uploadRefusal(
                    problem.status, code: "InvalidRequest", message: "The upload request is malformed, or its method is not POST."
                )
            }
        if let seconds = problem.retryAfter { answer.fields.append(("retry-after", String(seconds))) }
        return answer
    }
}

/// The content type of a file by its file name extension. Only types that browsers display and never execute are used.
enum FileType {
    private static let types: [(suffix: String, type: String)] = [
        (".txt", "text/plain; charset=utf-8"), (".json", "application/json"), (".pdf", "application/pdf"),
        (".png", "image/png"), (".jpg", "image/jpeg"), (".jpeg", "image/jpeg"), (".gif", "image/gif"), (".webp", "image/webp"),
        (".heic", "image/heic"), (".mp3", "audio/mpeg"), (".m4a", "audio/mp4"), (".ogg", "audio/ogg"), (".wav", "audio/wav"),
        (".mp4", "video/mp4"), (".mov", "video/quicktime"), (".webm", "video/webm"), (".zip", "application/zip"),
    ]

    static func of(_ name: Identifier) -> HTTPAnswer.ContentType {
        let name = name.text.lowercased()
        return HTTPAnswer.ContentType(
            rawValue: types.first { name.hasByteSuffix($0.suffix) }?.type ?? "application/octet-stream")
    }
}
