// Runs the code of docs/unity-and-godot.md with the client that NSwag generates.
using System;
using System.Collections.Generic;
using System.IO;
using System.Linq;
using System.Net.Http;
using System.Net.Http.Headers;
using System.Threading.Tasks;
using Guildhall;

public static class GeneratedClientGame
{
    public static void Main(string[] args)
    {
        Play(args[0], args[1], args[2], args[3]).GetAwaiter().GetResult();
    }

    static async Task Play(string url, string gameKey, string webhookBody, string picture)
    {
        // CODE OF THE PAGE
        Console.WriteLine("signed in " + login.PlayerId);
        try
        {
            await client.GetPlayerProfileAsync(Guid.NewGuid());
        }
        catch (ApiException<Problem> refused)
        {
            Console.WriteLine("refused " + refused.StatusCode + " " + refused.Result.Code);
        }
        var webhook = Newtonsoft.Json.JsonConvert.DeserializeObject<UsageWarningEvent>(webhookBody);
        Console.WriteLine("warned at " + webhook.Data.Percent);

        var entrant = new MatchEntrant { PlayerId = login.PlayerId };
        var match = await client.CreateMatchAsync(new CreateMatchRequest { Players = { entrant } }, null);
        var result = new MatchPlayerResult { MatchPlayerId = match.Players.First().MatchPlayerId, Score = 3000000000 };
        await client.RecordMatchResultsAsync(new MatchResultsRequest { Results = { result } }, match.MatchSessionId);
        Console.WriteLine("scored " + (await client.GetMatchAsync(match.MatchSessionId)).Players.First().Score);

        using (var file = File.OpenRead(picture))
        {
            Console.WriteLine("uploaded " + (await client.UploadAvatarAsync(new FileParameter(file, "me.jpg"))).AvatarUrl);
        }

        // A query with a time. The cursor has microseconds.
        await client.LogInPlayerAsync(new LoginRequest { Provider = TokenProvider.Mock, Token = "mock:ada:secret" });
        var newest = await client.ListPlayerSessionsAsync(null, null, null, 1);
        var next = await client.ListPlayerSessionsAsync(null, newest.NextCursorTimestamp, newest.NextCursorId, 1);
        Console.WriteLine("read " + newest.Sessions.Count + " of " + newest.TotalCount + ", then " + next.Sessions.Count);
    }
}
