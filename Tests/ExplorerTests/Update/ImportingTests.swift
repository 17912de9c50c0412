import FoundationEssentials
import Glibc
import Interchange
import Terminal
import TestSupport
import Testing
import TreeView
import Workspaces

@testable import Explorer

@Suite("Importing on the screen")
struct ImportingTests {
    private let folder = TemporaryFolder("specs")
    private static let collection = """
        {"info":{"name":"C","schema":"https://schema.getpostman.com/json/collection/v2.1.0/collection.json"},
         "item":[{"name":"New one","event":[{"listen":"prerequest","script":{"exec":["sign()"]}}],
           "request":{"method":"GET","url":"https://api.example/new"}}]}
        """

    private func write(_ text: String, to name: String) throws -> String {
        let path = "\(folder.path)/\(name)"
        try text.write(toFile: path, atomically: false, encoding: .utf8)
        return path
    }

    private func play(_ text: String = Model.changedWorkspace) throws -> Play {
        Play(catalog: Catalog(try Workspace.load(path: try write(text, to: "shop.apus.yaml"))))
    }

    private func importing(_ path: String, in play: inout Play) throws {
        play.type(":")
        play.write("import a file")
        play.type("enter")
        guard case .importFile? = play.model.layers.prompt?.purpose else { return }
        play.write(path)
        play.type("enter")
        let source = try #require(ImportSource(at: path))
        let read = ReadImport(path: path, file: try ImportedFile(source))
        play.receive(.imports(.read(.success(read))))
        for effect in play.effects {
            guard case .request(.importFile(let read, let source)) = effect else { continue }
            do throws(CatalogError) {
                play.receive(.request(.imported(.success(try source.importing(read)))))
            } catch {
                play.receive(.request(.imported(.failure(error))))
            }
        }
    }

    @Test("the palette imports into the file that is open, says what was lost, and u takes it back")
    func imported() throws {
        var play = try play()
        let path = try write(Self.collection, to: "c.json")
        try importing(path, in: &play)
        #expect(
            play.model.notice?.text
                == "Postman 2.1: 1 added; 1 thing not carried over; ? lists what"
        )
        let file = "\(folder.path)/shop.apus.yaml"
        #expect(try String(contentsOfFile: file, encoding: .utf8).contains("New one:"))
        #expect(play.model.workspace.catalog?.note?.contains("a script before the request") == true)
        let record = ImportRecord.path(beside: file)
        #expect(try ImportRecord(path: record).sources["c.json"]?.count == 1)
        try importing(path, in: &play)
        #expect(play.model.notice?.text.contains("nothing is new") == true)
        play.type("u")
        play.answerRequests()
        play.type("u")
        play.answerRequests()
        #expect(try String(contentsOfFile: file, encoding: .utf8) == Model.changedWorkspace)
        #expect(try ImportRecord(path: record).sources.isEmpty)
    }

    @Test("a file of another program takes no import, and says what to do first")
    func foreign() throws {
        let path = try write(Self.collection, to: "c.json")
        let workspace = try Workspace.load(path: path, foreign: WorkspaceImporter())
        var play = Play(catalog: Catalog(workspace))
        try importing(path, in: &play)
        #expect(play.model.notice?.text.contains("S saves it as a workspace") == true)
        #expect(play.model.layers.prompt == nil)
    }

    @Test("a program's own targets take no import")
    func program() throws {
        var play = Play()
        try importing(try write(Self.collection, to: "c.json"), in: &play)
        #expect(play.model.notice?.text.contains("a program's own") == true)
    }

    @Test("tab goes through the paths that begin like what was typed")
    func completion() throws {
        _ = try write("", to: "a.json")
        _ = try write("", to: "abc.yaml")
        let typed = "\(folder.path)/a"
        let paths = PathCompletion.paths(beginningWith: typed)
        #expect(paths == ["\(folder.path)/a.json", "\(folder.path)/abc.yaml"])
        #expect(
            PathCompletion.paths(beginningWith: "\(folder.path)/s") == ["\(folder.path)/specs/"]
        )
        var play = try play()
        play.type(":")
        play.write("import a file")
        play.type("enter")
        play.write(typed)
        play.type("tab")
        play.receive(.imports(.completed(typed, paths)))
        #expect(play.model.layers.prompt?.field.text == paths[0])
        play.type("tab")
        #expect(play.model.layers.prompt?.field.text == paths[1])
    }

    @Test("credentials of the file go into .env, and u takes that back, too")
    func credentials() throws {
        var play = try play()
        let path = try write(
            "GET https://api.example/a\nAuthorization: Bearer abcd1234efgh\n",
            to: "n.http"
        )
        try importing(path, in: &play)
        let file = "\(folder.path)/shop.apus.yaml"
        let secrets = "\(folder.path)/.env"
        #expect(play.model.notice?.text.contains("1 credential is in \(secrets)") == true)
        #expect(try String(contentsOfFile: file, encoding: .utf8).contains("abcd1234efgh") == false)
        #expect(
            try String(contentsOfFile: secrets, encoding: .utf8).contains("=abcd1234efgh\n")
        )
        var status = stat()
        #expect(stat(secrets, &status) == 0 && status.st_mode & 0o777 == 0o600)
        play.type("u")
        play.answerRequests()
        #expect(try String(contentsOfFile: file, encoding: .utf8) == Model.changedWorkspace)
        #expect(FileManager.default.fileExists(atPath: secrets) == false)
    }

    @Test("where .env cannot be written, nothing is")
    func unwritable() throws {
        var play = try play("envFile: sub/.env\n" + Model.changedWorkspace)
        let path = try write(
            "GET https://api.example/a\nAuthorization: Bearer abcd1234efgh\n",
            to: "n.http"
        )
        try importing(path, in: &play)
        let file = "\(folder.path)/shop.apus.yaml"
        #expect(play.model.notice?.text.contains("its folder does not exist") == true)
        #expect(
            try String(contentsOfFile: file, encoding: .utf8)
                == "envFile: sub/.env\n" + Model.changedWorkspace
        )
        #expect(
            FileManager.default.fileExists(atPath: ImportRecord.path(beside: file)) == false
        )
    }

    @Test("what S did with the credentials of another program's file is said")
    func savedForeign() throws {
        let path = try write(
            "GET https://api.example/a\nAuthorization: Bearer abcd1234efgh\n",
            to: "n.http"
        )
        let file = NewWorkspaceFile(for: path, readBy: WorkspaceImporter())
        let session = WorkspaceSession()
        let catalog = Catalog(try file.load(), session: session, file: file)
        var play = Play(catalog: catalog)
        try catalog.source.nameNewFile("\(folder.path)/n.apus.yaml")
        try catalog.source.makeNewFile()
        play.receive(
            .catalogLoaded(Catalog(try file.load(), session: session, file: file))
        )
        #expect(
            play.model.notice?.text.contains("1 credential is in \(folder.path)/.env") == true
        )
    }
}
