// Runs the code of docs/unity-and-godot.md with the client that NSwag generates.
using System;
using System.Collections.Generic;
using System.Net.Http;
using System.Net.Http.Headers;
using System.Threading.Tasks;
using Guildhall;

public static class GeneratedClientGame
{
    public static void Main(string[] args)
    {
        Play(args[0], args[1], args[2]).GetAwaiter().GetResult();
    }

    static async Task Play(string url, string gameKey, string webhookBody)
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
    }
}
